/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Fills 20 MB with blocks of one size, frees them, and fills as much with blocks of another.
 */
#include <stdlib.h>
#include <string.h>

enum { MB_20 = 20000000 };

static void **g_blocks;

static void fill(size_t szB) {
  for (size_t i = 0; i < MB_20 / szB; i++)
    memset(g_blocks[i] = malloc(szB), 1, szB);
}

static void empty(size_t szB) {
  for (size_t i = 0; i < MB_20 / szB; i++)
    free(g_blocks[i]);
}

int main(void) {
  g_blocks = malloc(MB_20 / 40 * sizeof *g_blocks);
  fill(40);
  empty(40);
  fill(100);
  empty(100);
  fill(600);
  return 0;
}
