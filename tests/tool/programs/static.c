/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -static
 *
 * A program without shared libraries: it contains malloc, and Valgrind's replacement library is not
 * loaded.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

static void *volatile keep;

static void block(void) {
  keep = malloc(100);
}

int main(void) {
  block();
  size_t n = DMD_REPORT(keep);
  DMD_DUMP("static");
  free(keep);
  return RUNNING_ON_DMD == 0 ? 1 : n == 104 ? 20 : n == 0 ? 30 : 2;
}
