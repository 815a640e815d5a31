/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Has one block of each report state, prints a line when ready, and waits for the end of its input.
 */
#include <stdlib.h>
#include <unistd.h>
#include <valgrind/dmd.h>

static void *volatile keep[4];

static void blocks(void) {
  for (size_t i = 0; i < 4; i++)
    keep[i] = malloc(100 + 100 * i);
  DMD_REPORT(keep[1]);
  DMD_REPORT(keep[2]);
  DMD_REPORT(keep[2]);
  DMD_REPORT_ON_ALLOC(keep[3]);
}

int main(void) {
  char c;
  blocks();
  if (write(1, "ready\n", 6) != 6)
    return 1;
  while (read(0, &c, 1) > 0)
    ;
  return 4;
}
