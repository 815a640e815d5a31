/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks of the program's current malloc, for a run with another allocator preloaded.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/dmd.h>

static void *volatile keep[2];

static void blocks(void) {
  keep[0] = malloc(100);
  keep[1] = calloc(10, 20);
}

int main(void) {
  blocks();
  size_t usable = malloc_usable_size(keep[0]);
  memset(keep[0], 1, usable);
  if (DMD_REPORT(keep[0]) != usable)
    return 3;
  void *p = malloc(50);
  p = realloc(p, 5000);
  free(p);
  return usable >= 100 ? 0 : 4;
}
