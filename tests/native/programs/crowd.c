/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A thousand threads change the size of a block many times, all at once, and then wait until each
 * of them has 1,000 bytes. */
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 1000, ROUNDS = 200, KEPT = 1000, MOST = 1400 };

static pthread_barrier_t all_are_there;

__attribute__((noinline)) char *seat(char *p, size_t n) {
  return realloc(p, n);
}

static void *live(void *number) {
  char *p = NULL;
  for (size_t i = 0; i < ROUNDS; i++)
    p = seat(p, 1 + ((size_t)number * 7919 + i * 104729) % MOST);
  p = seat(p, KEPT);
  pthread_barrier_wait(&all_are_there);
  free(p);
  return NULL;
}

int main(void) {
  static pthread_t threads[THREADS];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 128 * 1024);
  pthread_barrier_init(&all_are_there, NULL, THREADS);
  for (size_t i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], &small, live, (void *)i) != 0)
      abort();
  for (size_t i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
