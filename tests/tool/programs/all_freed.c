/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reports all its blocks and frees them before the analysis at exit.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

static void *volatile dark;

int main(void) {
  dark = malloc(10);
  for (int i = 0; i < 3; i++) {
    void *volatile p = malloc(100);
    DMD_REPORT(p);
    free(p);
  }
  return 0;
}
