/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Very many small blocks and a few large ones, for sampling.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

static void *volatile keep;

static void small(int report) {
  for (int i = 0; i < 10000; i++) {
    keep = malloc(24);
    if (report && DMD_REPORT(keep) != 24)
      abort();
  }
}

static void medium(void) {
  for (int i = 0; i < 30; i++)
    keep = malloc(100);
}

static void large(void) {
  for (int i = 0; i < 5; i++)
    keep = malloc(50000);
}

static void gone(void) {
  for (int i = 0; i < 1000; i++) {
    keep = malloc(24);
    free(keep);
  }
}

int main(int argc, char **argv) {
  (void)argv;
  small(argc > 1);
  medium();
  large();
  gone();
  return 0;
}
