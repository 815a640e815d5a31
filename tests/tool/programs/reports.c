/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Any number of reports, of blocks and of other addresses. The analysis is the one at exit.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(measure_a)
DMD_MALLOC_SIZE_OF_FN(measure_b)
DMD_MALLOC_SIZE_OF_ON_ALLOC_FN(count_in)
DMD_MALLOC_SIZE_OF_ON_FREE_FN(count_out)

static void *volatile keep[32];
static char global[100];

static void check(int good) {
  if (!good)
    abort();
}

static void never(void) {
  keep[0] = malloc(100);
}

static void once(void) {
  keep[1] = malloc(100);
  check(measure_a(keep[1]) == 104);
}

static void twice(void) {
  keep[2] = malloc(100);
  measure_a(keep[2]);
  measure_b(keep[2]);
}

static void twice_the_other_way(void) {
  keep[3] = malloc(100);
  measure_b(keep[3]);
  measure_a(keep[3]);
}

static void thrice(void) {
  keep[4] = malloc(100);
  measure_a(keep[4]);
  measure_a(keep[4]);
  measure_b(keep[4]);
}

static void often(void) {
  keep[5] = malloc(100);
  for (int i = 0; i < 150; i++)
    measure_a(keep[5]);
}

static void taken_back(void) {
  keep[6] = malloc(100);
  measure_a(keep[6]);
  measure_b(keep[6]);
  check(DMD_UNREPORT(keep[6]) == 104);
}

static void taken_back_and_reported(void) {
  keep[7] = malloc(100);
  measure_a(keep[7]);
  DMD_UNREPORT(keep[7]);
  measure_b(keep[7]);
}

static void on_alloc(void) {
  keep[8] = malloc(100);
  check(count_in(keep[8]) == 104);
}

static void on_alloc_and_again(void) {
  keep[9] = malloc(100);
  count_in(keep[9]);
  measure_a(keep[9]);
}

static void on_alloc_and_out(void) {
  keep[10] = malloc(100);
  count_in(keep[10]);
  check(count_out(keep[10]) == 104);
}

static void empty_block(void) {
  keep[11] = malloc(0);
  check(measure_a(keep[11]) == 24);
}

/* A new block at the address of a reported one starts unreported. The address is not used again
 * before another block is freed. */
static void reused(void) {
  void *volatile first = malloc(333), *volatile other = malloc(10);
  measure_a(first);
  free(first);
  free(other);
  keep[12] = malloc(333);
  check(keep[12] == first);
}

static void of_null(void) {
  check(DMD_REPORT(NULL) == 0);
  check(DMD_REPORT_ON_ALLOC(NULL) == 0);
  check(DMD_UNREPORT(NULL) == 0);
}

static void of_stack(void) {
  int local = 0;
  check(DMD_REPORT(&local) == 0);
}

static void of_global(void) {
  check(DMD_REPORT(global) == 0);
}

static void of_nonsense(void) {
  check(DMD_REPORT((void *)1) == 0);
  check(DMD_REPORT((void *)-1) == 0);
}

/* From the second byte to the last byte of the slop. */
static void of_interior(void) {
  char *p = malloc(100);
  keep[13] = p;
  for (int i = 0; i < 3; i++) {
    static const int offsets[] = {1, 99, 103};
    check(measure_a(p + offsets[i]) == 0);
  }
}

static void of_freed(void) {
  void *volatile p = malloc(4444);
  free(p);
  check(DMD_REPORT(p) == 0);
  check(DMD_UNREPORT(p) == 0);
}

int main(int argc, char **argv) {
  (void)argv;
  never();
  once();
  twice();
  twice_the_other_way();
  thrice();
  often();
  taken_back();
  taken_back_and_reported();
  on_alloc();
  on_alloc_and_again();
  on_alloc_and_out();
  empty_block();
  reused();
  of_null();
  of_stack();
  of_global();
  of_nonsense();
  of_interior();
  of_freed();
  if (argc > 1)
    DMD_CLEAR_REPORTS();
  return 0;
}
