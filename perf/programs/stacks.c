/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * stacks: as many stacks as allocations, nearly. Goes four times through the 65,536 paths down a
 * binary tree of calls, 16 deep, and makes and drops a block at each of its nodes.
 */
#include <stdio.h>
#include <stdlib.h>

static size_t g_allocations;

__attribute__((noinline, noclone)) static void *block(size_t szB) {
  void *volatile p = malloc(szB);
  g_allocations++;
  return p;
}

static void down(unsigned depth);

__attribute__((noinline, noclone)) static void left(unsigned depth) {
  void *volatile p = block(depth + 1);
  down(depth);
  free(p);
}

__attribute__((noinline, noclone)) static void right(unsigned depth) {
  void *volatile p = block(depth + 20);
  down(depth);
  free(p);
}

static inline void down(unsigned depth) {
  if (depth > 0) {
    left(depth - 1);
    right(depth - 1);
  }
}

int main(void) {
  for (int round = 0; round < 4; round++)
    down(16);
  printf("%zu allocations\n", g_allocations);
  return 0;
}
