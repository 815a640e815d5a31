/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * small: many small live blocks from few stacks. Fills a table with 500,000 blocks of 8 to 71 bytes
 * and replaces each of them four times, in order; ends with all of them live.
 */
#include <stdio.h>
#include <stdlib.h>

enum { N_BLOCKS = 500000, ROUNDS = 5 };

static char *g_blocks[N_BLOCKS];

int main(void) {
  size_t sum = 0;
  for (int round = 0; round < ROUNDS; round++)
    for (size_t i = 0; i < N_BLOCKS; i++) {
      free(g_blocks[i]);
      size_t szB = 8 + i % 64;
      g_blocks[i] = malloc(szB);
      if (g_blocks[i] == NULL)
        return 1;
      g_blocks[i][0] = (char)i;
      sum += szB;
    }
  printf("%zu bytes\n", sum);
  return 0;
}
