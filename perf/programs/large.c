/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * large: blocks of 16 KiB to 2 MiB, 100 live at a time, of which the program writes the first and
 * the last page; every tenth is cleared (calloc).
 */
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_LIVE = 100, N_ALLOCATIONS = 300000, PAGE = 4096 };

static char *g_blocks[N_LIVE];

int main(void) {
  for (size_t i = 0; i < N_ALLOCATIONS; i++) {
    size_t at = next_random() % N_LIVE;
    /* Small ones more often: from 2^14 to 2^20, and up to as much again. */
    size_t szB = (size_t)1 << (14 + next_random() % 7);
    if (szB > (size_t)1 << 16 && next_random() % 8 != 0)
      szB = (size_t)1 << 14;
    szB += next_random() % szB;
    free(g_blocks[at]);
    char *p = i % 10 == 0 ? calloc(1, szB) : malloc(szB);
    if (p == NULL)
      return 1;
    memset(p, 1, PAGE);
    memset(p + szB - PAGE, 1, PAGE);
    g_blocks[at] = p;
  }
  printf("%d allocations\n", N_ALLOCATIONS);
  return 0;
}
