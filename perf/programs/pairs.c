/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pairs: threads that allocate and free, each for itself.
 *
 *   pairs THREADS PAIRS      PAIRS times in each thread: a block replaces the oldest of 100
 *
 * Prints how long a pair of an allocation and a free took, in nanoseconds: of real time, all
 * threads together, and of CPU time.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_THREADS = 64, LIVE = 100 };

static size_t g_n_pairs;
static pthread_barrier_t g_start;

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *work(void *unused) {
  void *live[LIVE] = {NULL};
  pthread_barrier_wait(&g_start);
  for (size_t i = 0; i < g_n_pairs; i++) {
    free(live[i % LIVE]);
    live[i % LIVE] = malloc(16 + i % 200);
  }
  for (int i = 0; i < LIVE; i++)
    free(live[i]);
  return unused;
}

int main(int argc, char **argv) {
  pthread_t threads[MAX_THREADS];
  if (argc != 3)
    return 2;
  unsigned n = (unsigned)atoi(argv[1]);
  g_n_pairs = strtoul(argv[2], NULL, 10);
  if (n > MAX_THREADS || pthread_barrier_init(&g_start, NULL, n + 1) != 0)
    return 2;
  for (unsigned i = 0; i < n; i++)
    if (pthread_create(&threads[i], NULL, work, NULL) != 0)
      return 1;
  double real = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
  pthread_barrier_wait(&g_start);
  for (unsigned i = 0; i < n; i++)
    pthread_join(threads[i], NULL);
  double n_pairs = (double)n * (double)g_n_pairs;
  printf("%.2f %.2f\n", (now(CLOCK_MONOTONIC) - real) / n_pairs,
         (now(CLOCK_PROCESS_CPUTIME_ID) - cpu) / n_pairs);
  return 0;
}
