/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Produces output in every section of the log.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

static void *volatile keep[2];

int main(void) {
  char *volatile p = malloc(100);
  keep[0] = p;
  keep[1] = malloc(200);
  DMD_REPORT(p);
  DMD_REPORT(p);
  DMD_REPORT(p + 1);
  free(p + 1);
  DMD_TAG_POP();
  DMD_DUMP("one");
  return 0;
}
