/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * threads: four threads that allocate and free at once. Each fills and empties slots of a table
 * that they share, so that most blocks are freed by another thread than made them.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_THREADS = 4, N_SLOTS = 20000, N_ALLOCATIONS = 250000 };

static _Atomic(void *) g_slots[N_SLOTS];

static void *work(void *seed) {
  uint32_t random = (uint32_t)(uintptr_t)seed;
  for (int i = 0; i < N_ALLOCATIONS; i++) {
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    char *p = malloc(1 + random % 300);
    if (p == NULL)
      exit(1);
    p[0] = 1;
    free(atomic_exchange(&g_slots[random / 512 % N_SLOTS], p));
  }
  return NULL;
}

int main(void) {
  pthread_t threads[N_THREADS];
  for (uintptr_t i = 0; i < N_THREADS; i++)
    if (pthread_create(&threads[i], NULL, work, (void *)(i + 1)) != 0)
      return 1;
  for (int i = 0; i < N_THREADS; i++)
    pthread_join(threads[i], NULL);
  printf("%d allocations\n", N_THREADS * N_ALLOCATIONS);
  return 0;
}
