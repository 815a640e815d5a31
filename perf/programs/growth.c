/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * growth: measures the cost of an allocation and its free in a heap of LIVE blocks.
 *
 *   growth LIVE PAIRS      fills the heap, then PAIRS times frees a block and makes one in its
 * place
 *
 * Blocks are of 40 bytes; those replaced lie all over the heap, in an order that no cache foresees.
 * Prints the CPU time of a pair in nanoseconds; filling the heap takes longer and is not in it.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  size_t n_live = strtoul(argv[1], NULL, 10), n_pairs = strtoul(argv[2], NULL, 10);
  void **blocks = malloc(n_live * sizeof *blocks);
  if (blocks == NULL)
    return 1;
  for (size_t i = 0; i < n_live; i++)
    if ((blocks[i] = malloc(40)) == NULL)
      return 1;
  uint64_t random = 1;
  double begin = cpu_ns();
  for (size_t i = 0; i < n_pairs; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    size_t at = (size_t)(random >> 32) % n_live;
    free(blocks[at]);
    if ((blocks[at] = malloc(40)) == NULL)
      return 1;
  }
  printf("%.1f\n", (cpu_ns() - begin) / (double)n_pairs);
  return 0;
}
