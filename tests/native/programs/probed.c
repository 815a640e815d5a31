/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known blocks for the probes of --emit=otel, in three threads: of 40, 700, 16 and 6,000 bytes, as
 * test_otel.py adds them up. Two thirds of the blocks of 40 bytes are never freed.
 * Flags: -pthread
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { THREADS = 3, EACH = 4000 };

static void *kept[THREADS][EACH];

static __attribute__((noinline)) void *keep(void) {
  return malloc(40);
}

static void *work(void *number) {
  for (int i = 0; i < EACH; i++) {
    void **p = &kept[(size_t)number][i];
    *p = keep();
    void *volatile large = calloc(7, 100), *volatile grown = malloc(16);
    grown = realloc(grown, 6000);
    void *volatile same = realloc(grown, SIZE_MAX / 4); /* fails */
    if (same != NULL)
      abort();
    free(large);
    free(grown);
    if (i % 3 == 0) {
      free(*p);
      *p = NULL;
    }
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (size_t t = 0; t < THREADS; t++)
    if (pthread_create(&threads[t], NULL, work, (void *)t) != 0)
      return 1;
  for (int t = 0; t < THREADS; t++)
    pthread_join(threads[t], NULL);
  return 0;
}
