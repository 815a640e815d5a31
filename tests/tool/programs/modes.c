/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks that stay and blocks that are freed, for the recording modes.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

static void *volatile keep[16];

static void stays(void) {
  keep[0] = malloc(100);
  DMD_REPORT(keep[0]);
}

static void goes(void) {
  for (int i = 0; i < 20; i++) {
    keep[1] = malloc(200);
    free(keep[1]);
  }
}

static void grows(void) {
  keep[2] = malloc(300);
  keep[2] = realloc(keep[2], 6000);
}

int main(void) {
  stays();
  goes();
  grows();
  char *volatile p = keep[0];
  if (DMD_REPORT(p) != 104 || DMD_UNREPORT(p) != 104 || DMD_REPORT(p + 1) != 0)
    return 1;
  return 0;
}
