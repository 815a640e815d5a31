/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -pthread
 *
 * Eight threads at once allocate, report, free and allocate again.
 */
#include <pthread.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

enum { THREADS = 8, BLOCKS = 500 };

DMD_MALLOC_SIZE_OF_FN(measure)

static pthread_barrier_t barrier;
static void *volatile keep[THREADS][BLOCKS];

/* Thread i has blocks of 1000 + i bytes; every other one stays and is reported, every tenth twice.
 */
static void work(size_t i) {
  for (int k = 0; k < BLOCKS; k++)
    keep[i][k] = malloc(1000 + i);
  for (int k = 0; k < BLOCKS; k += 2) {
    measure(keep[i][k]);
    if (k % 10 == 0)
      measure(keep[i][k]);
  }
  for (int k = 1; k < BLOCKS; k += 2)
    free(keep[i][k]);
}

static void *in_thread(void *arg) {
  static const char *const tags[THREADS] = {"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"};
  size_t i = (size_t)arg;
  DMD_TAG_PUSH(tags[i]);
  DMD_REPORTER_BEGIN(tags[i]);
  pthread_barrier_wait(&barrier);
  work(i);
  pthread_barrier_wait(&barrier);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (size_t i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, in_thread, (void *)i) != 0)
      abort();
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
