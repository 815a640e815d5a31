/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * timing: four threads that share jobs, and keep what they made of them. How much that is depends
 * on who took which job: each takes the next one when it has finished the last, after an
 * unpredictable time.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { N_THREADS = 4, N_JOBS = 800, N_ENTRIES = 4000 };

static atomic_int g_next;
void *g_made[N_JOBS], *g_table[N_ENTRIES];

static __attribute__((noinline)) void fill_table(void) {
  for (int i = 0; i < N_ENTRIES; i++)
    g_table[i] = malloc((size_t)(16 + i % 300));
}

static __attribute__((noinline)) void *make(size_t size) {
  return malloc(size);
}

static __attribute__((noinline)) void *make_large(size_t size) {
  return malloc(size);
}

static void *work(void *number) {
  uintptr_t me = (uintptr_t)number;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint32_t random = (uint32_t)(now.tv_nsec + (long)me * 7919) | 1;
  for (int job; (job = atomic_fetch_add(&g_next, 1)) < N_JOBS;) {
    random = random * 1664525 + 1013904223;
    g_made[job] = me < 2 ? make(500 + 100 * me) : make_large(500 + 100 * me);
    struct timespec pause = {.tv_nsec = (long)(random >> 16)};
    nanosleep(&pause, NULL);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[N_THREADS];
  fill_table();
  for (uintptr_t i = 0; i < N_THREADS; i++)
    if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
      return 1;
  for (int i = 0; i < N_THREADS; i++)
    pthread_join(threads[i], NULL);
  _exit(0);
}
