/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * grow: realloc. 200 vectors grow together, each in steps of one to 64 bytes up to some 8 KiB, so
 * that most steps fit in place and the others copy; then each shrinks to half, ten times over.
 */
#include "random.h"

#include <stdio.h>
#include <stdlib.h>

enum { N_VECTORS = 200, N_STEPS = 2000, ROUNDS = 5 };

static char *g_vectors[N_VECTORS];
static size_t g_szB[N_VECTORS];

static void resize(size_t i, size_t szB) {
  char *p = realloc(g_vectors[i], szB);
  if (p == NULL)
    exit(1);
  p[szB - 1] = 1;
  g_vectors[i] = p;
  g_szB[i] = szB;
}

int main(void) {
  size_t n = 0;
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < N_VECTORS; i++)
      resize(i, 16);
    for (size_t step = 0; step < N_STEPS; step++)
      for (size_t i = 0; i < N_VECTORS; i++, n++)
        resize(i, g_szB[i] + 1 + next_random() % 8);
    for (int half = 0; half < 10; half++)
      for (size_t i = 0; i < N_VECTORS; i++, n++)
        resize(i, g_szB[i] / 2 + 1);
  }
  printf("%zu reallocations\n", n);
  return 0;
}
