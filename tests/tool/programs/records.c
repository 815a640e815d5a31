/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Twelve records of each kind that sort differently by usable size, requested size, slop and number
 * of blocks, and a recursion deeper than what is printed.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(measure_a)
DMD_MALLOC_SIZE_OF_FN(measure_b)

static void *volatile keep;

/* One record: n blocks of this size, each reported so often. */
static void record(int n, size_t size, int reports) {
  for (int i = 0; i < n; i++) {
    keep = malloc(size);
    for (int k = 0; k < reports; k++)
      if (k % 2 == 0)
        measure_a(keep);
      else
        measure_b(keep);
  }
}

static void most_usable(int reports) {
  record(1, 100000, reports);
}

static void most_blocks(int reports) {
  record(500, 24, reports);
}

static void most_slop(int reports) {
  record(300, 1, reports);
}

/* Equal in size: the first one encountered comes first. */
static void tie_b(int reports) {
  record(3, 1000, reports);
}

static void tie_a(int reports) {
  record(1, 3000, reports);
}

/* Blocks of several sizes in one record. */
static void mixed(int reports) {
  for (size_t i = 0; i < 10; i++)
    record(1, 40 + (i % 4) * 100, reports);
}

static void deep(int depth, int reports) {
  if (depth == 0)
    record(1, 2000, reports);
  else
    deep(depth - 1, reports);
}

/* More kinds of records than are printed by default. */
#define ONE(n)                                                                                     \
  static void extra_##n(int reports) {                                                             \
    record(n, 64, reports);                                                                        \
  }
ONE(1)
ONE(2)
ONE(3)
ONE(4)
ONE(5)

static void all(int reports) {
  most_usable(reports);
  most_blocks(reports);
  most_slop(reports);
  tie_b(reports);
  tie_a(reports);
  mixed(reports);
  deep(12, reports);
  deep(11, reports);
  extra_1(reports);
  extra_2(reports);
  extra_3(reports);
  extra_4(reports);
  extra_5(reports);
}

int main(void) {
  for (int reports = 0; reports <= 3; reports++)
    all(reports);
  return 0;
}
