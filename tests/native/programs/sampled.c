/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known blocks for --sample-interval: four threads each keep 5,000 blocks of each of some sizes,
 * among as many that come and go, are reallocated, measured and reported. They also report
 * addresses that are not their blocks. It prints the results of DMD_REPORT and of
 * malloc_usable_size for the kept blocks.
 * Flags: -pthread
 */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dmd.h"

enum { THREADS = 4, EACH = 5000 };

static void *kept[THREADS][3][EACH];
static size_t reported[THREADS], usable[THREADS];

DMD_MALLOC_SIZE_OF_FN(measure)

static __attribute__((noinline)) void *small(void) {
  return malloc(40);
}

static __attribute__((noinline)) void *large(void) {
  return calloc(25, 40);
}

static __attribute__((noinline)) void *grown(void) {
  void *volatile first = malloc(8);
  return realloc(first, 200);
}

/* Blocks that come and go at any moment, also in another thread's memory. */
static void use(void) {
  char *volatile p = malloc(300);
  if (p == NULL)
    abort();
  memset(p, 7, 300);
  p = realloc(p, 30000);
  if (p == NULL || p[299] != 7)
    abort();
  free(p);
}

static void *work(void *number) {
  size_t t = (size_t)number;
  for (int i = 0; i < EACH; i++) {
    kept[t][0][i] = small();
    use();
    kept[t][1][i] = large();
    kept[t][2][i] = grown();
  }
  return NULL;
}

static void measure_all(size_t t) {
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < EACH; i++) {
      reported[t] += measure(kept[t][k][i]);
      usable[t] += malloc_usable_size(kept[t][k][i]);
    }
}

int main(void) {
  pthread_t threads[THREADS];
  for (size_t t = 0; t < THREADS; t++)
    if (pthread_create(&threads[t], NULL, work, (void *)t) != 0)
      return 1;
  for (size_t t = 0; t < THREADS; t++)
    pthread_join(threads[t], NULL);
  DMD_REPORTER_BEGIN("explicit/some");
  measure_all(0);
  DMD_REPORTER_END(12345); /* not the measured size */
  measure_all(0);          /* twice */
  measure_all(1);
  printf("%zu %zu\n", reported[0] + reported[1], usable[0] + usable[1]);
  DMD_DUMP("all");
  /* All are freed, some in another thread's memory; their records go, too. */
  for (size_t t = 0; t < THREADS; t++)
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < EACH; i++)
        free(kept[t][k][i]);
  DMD_DUMP("none");
  return 0;
}
