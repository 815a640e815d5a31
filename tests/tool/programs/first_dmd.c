/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The macros of the first DMD.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

static void *volatile keep[4];

static void dark(void) {
  keep[0] = malloc(100);
}

static void reported(void) {
  keep[1] = malloc(100);
  if (VALGRIND_DMD_REPORT(keep[1], 100, "strings") != 104)
    abort();
}

static void reported_twice(void) {
  keep[2] = malloc(100);
  VALGRIND_DMD_REPORT(keep[2], 100, "strings");
  VALGRIND_DMD_REPORT(keep[2], 100, "tables");
}

static void unreported(void) {
  keep[3] = malloc(100);
  VALGRIND_DMD_REPORT(keep[3], 100, "strings");
  if (VALGRIND_DMD_UNREPORT(keep[3]) != 104)
    abort();
}

static void not_a_block(void) {
  int local = 0;
  if (VALGRIND_DMD_REPORT(&local, sizeof local, "locals") != 0)
    abort();
}

int main(void) {
  dark();
  reported();
  reported_twice();
  unreported();
  not_a_block();
  VALGRIND_DMD_CHECK_REPORTING;
  return 0;
}
