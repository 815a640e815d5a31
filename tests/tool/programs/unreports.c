/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Retracted reports of addresses that are not live blocks. The analysis is the one at exit.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

static void *volatile keep[4];
static char global[100];

static void check(int good) {
  if (!good)
    abort();
}

static void unreport_right(void) {
  keep[0] = malloc(100);
  check(DMD_REPORT(keep[0]) == 104);
  check(DMD_UNREPORT(keep[0]) == 104);
  check(DMD_UNREPORT(NULL) == 0);
}

static void unreport_interior(void) {
  char *p = malloc(100);
  keep[1] = p;
  check(DMD_UNREPORT(p + 8) == 0);
}

static void unreport_freed(void) {
  void *volatile p = malloc(100);
  /* Only frees after the first report have a known stack. */
  free(p);
  check(DMD_UNREPORT(p) == 0);
}

static void unreport_stack(void) {
  int local = 0;
  check(DMD_UNREPORT(&local) == 0);
}

static void unreport_global(void) {
  check(DMD_UNREPORT(global) == 0);
}

static void unreport_nonsense(void) {
  check(DMD_UNREPORT((void *)-1) == 0);
}

int main(void) {
  unreport_right();
  unreport_interior();
  unreport_freed();
  unreport_stack();
  unreport_global();
  unreport_nonsense();
  return 0;
}
