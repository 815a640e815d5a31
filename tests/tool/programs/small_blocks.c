/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Very many small blocks and a few large ones, for sampling.
 */
#include <stdlib.h>

static void *volatile keep;

static void small(void) {
  for (int i = 0; i < 10000; i++)
    keep = malloc(24);
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

int main(void) {
  small();
  medium();
  large();
  gone();
  return 0;
}
