/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dumps THREADS BLOCKS DUMPS: each thread keeps so many blocks and moves them with realloc for as
 * long as the first thread requests dumps, or, if DUMPS is 0, until standard input ends. Other
 * blocks come and go meanwhile, and some are freed by another thread than the one that made them.
 * Every kept block has a size of its own, give or take 7 bytes.
 *
 * Flags: -pthread
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

enum { MAX_THREADS = 64, N_SLOTS = 256, FROM = 10000 };

static long g_threads, g_blocks;
static atomic_bool g_done;
static pthread_barrier_t g_all_there;
static _Atomic(void *) g_slots[N_SLOTS];

static void exchange(uint32_t random) {
  free(atomic_exchange(&g_slots[random % N_SLOTS], malloc(1 + random / N_SLOTS % 1000)));
}

__attribute__((noinline)) static void *keep(void *arg) {
  long number = (long)(intptr_t)arg;
  uint32_t random = (uint32_t)number + 1;
  void **kept = malloc((size_t)g_blocks * sizeof *kept);
  size_t first = FROM + (size_t)(number * g_blocks) * 8;
  for (long i = 0; i < g_blocks; i++)
    kept[i] = malloc(first + (size_t)i * 8);
  pthread_barrier_wait(&g_all_there);
  while (!atomic_load(&g_done)) {
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    size_t i = random % (uint32_t)g_blocks;
    void *moved = realloc(kept[i], first + i * 8 + random / 1024 % 8);
    if (moved == NULL)
      abort();
    kept[i] = moved;
    exchange(random / 8);
  }
  free(kept);
  return NULL;
}

static void wait_for_end(void) {
  puts("ready");
  fflush(stdout);
  while (getchar() != EOF)
    continue;
}

int main(int argc, char **argv) {
  pthread_t threads[MAX_THREADS];
  if (argc != 4)
    return 2;
  g_threads = strtol(argv[1], NULL, 10);
  g_blocks = strtol(argv[2], NULL, 10);
  pthread_barrier_init(&g_all_there, NULL, (unsigned)g_threads + 1);
  for (long i = 0; i < g_threads; i++)
    pthread_create(&threads[i], NULL, keep, (void *)(intptr_t)i);
  pthread_barrier_wait(&g_all_there);
  long dumps = strtol(argv[3], NULL, 10);
  for (long i = dumps; i > 0; i--)
    DMD_DUMP("");
  if (dumps == 0)
    wait_for_end();
  atomic_store(&g_done, true);
  for (long i = 0; i < g_threads; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < N_SLOTS; i++)
    free(g_slots[i]);
  return 0;
}
