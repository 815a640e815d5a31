/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * churn: blocks of random sizes that come and go at random, from stacks of random depth.
 *
 *   churn [ALLOCATIONS [LIVE]]     default 1,000,000, of which 100,000 are live at a time
 *
 * Each allocation goes down 4 to 19 calls of two functions in random order, so that its stack is
 * as deep as Valgrind looks, and a new one most of the time in its outer frames.
 */
#include "random.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The path's bits say which function is called next. */
static void *down(unsigned depth, uint32_t path, size_t szB);

__attribute__((noinline, noclone)) static void *left(unsigned depth, uint32_t path, size_t szB) {
  void *volatile p = down(depth, path, szB);
  return p;
}

__attribute__((noinline, noclone)) static void *right(unsigned depth, uint32_t path, size_t szB) {
  void *volatile p = down(depth, path, szB);
  return p;
}

static inline void *down(unsigned depth, uint32_t path, size_t szB) {
  if (depth == 0)
    return malloc(szB);
  return path & 1 ? right(depth - 1, path >> 1, szB) : left(depth - 1, path >> 1, szB);
}

int main(int argc, char **argv) {
  size_t n_allocations = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
  size_t n_live = argc > 2 ? strtoul(argv[2], NULL, 10) : 100000;
  void **blocks = calloc(n_live, sizeof *blocks);
  if (blocks == NULL)
    return 1;
  for (size_t i = 0; i < n_allocations; i++) {
    size_t at = next_random() % n_live;
    free(blocks[at]);
    size_t szB = 1 + next_random() % 512;
    /* 32 paths. */
    uint32_t path = (next_random() & 31) * 0x5a5a5;
    blocks[at] = down(4 + path % 16, path, szB);
    if (blocks[at] == NULL)
      return 1;
  }
  printf("%zu allocations\n", n_allocations);
  return 0;
}
