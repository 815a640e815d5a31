/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks whose pointers lead to random places in one large block, so that the targets are
 * incompressible. Prints the addresses of the large one and of the others, and asks for a graph.
 * Pointer k of block i leads offset(i * POINTERS + k) bytes into the large one.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

enum { BLOCKS = 20000, POINTERS = 5, SIZES = 100, POOL_SZB = 2 << 20 };

static void *volatile keep;

static uint32_t offset(uint32_t number) {
  uint32_t mixed = number * 2654435761u;
  mixed = (mixed ^ mixed >> 15) * 2246822519u;
  return (mixed ^ mixed >> 13) % POOL_SZB;
}

int main(void) {
  char *pool = malloc(POOL_SZB);
  keep = pool;
  printf("%p\n", (void *)pool);
  for (uint32_t i = 0; i < BLOCKS; i++) {
    char **block = calloc(1, POINTERS * sizeof *block + i % SIZES);
    for (uint32_t k = 0; k < POINTERS; k++)
      block[k] = pool + offset(i * POINTERS + k);
    printf("%p\n", (void *)block);
  }
  fflush(stdout);
  DMD_GRAPH(NULL);
  return 0;
}
