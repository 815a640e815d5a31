/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two dumps; each begins anew, except for reports made on allocation.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(measure)
DMD_MALLOC_SIZE_OF_ON_ALLOC_FN(count)

static void *volatile keep[4];

static void first(void) {
  keep[0] = malloc(100);
}

static void counted(void) {
  keep[1] = malloc(200);
  count(keep[1]);
}

static void second(void) {
  keep[2] = malloc(300);
}

static void third(void) {
  keep[3] = malloc(400);
}

int main(void) {
  first();
  counted();
  measure(keep[0]);
  measure(keep[1]);
  size_t one = DMD_DUMP("one");
  second();
  measure(keep[2]);
  free(keep[0]);
  size_t two = DMD_DUMP("two");
  third();
  return one == 1 && two == 2 ? 0 : one == 0 && two == 0 ? 10 : 1;
}
