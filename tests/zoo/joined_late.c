/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A worker thread that joins a reporter when that has ended.
 *
 * Mozilla's DMD: nothing
 * Flags: -pthread
 *
 * Expect: scope-join
 *   num: 1
 *   text: Join of a reporter that is not open {
 *   at: work @join
 */
#include <pthread.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(words_size_of)

static char *first, *second;
static size_t handle, size_of_second;
static pthread_barrier_t go;

static void *work(void *arg) {
  pthread_barrier_wait(&go);
  DMD_REPORTER_JOIN(handle); /* @join */
  size_of_second = words_size_of(second);
  DMD_REPORTER_LEAVE();
  return arg;
}

static void wait_for(pthread_t worker) {
  pthread_barrier_wait(&go);
  pthread_join(worker, NULL);
}

int main(void) {
  pthread_t worker;
  first = malloc(100);
  second = malloc(200);
  pthread_barrier_init(&go, NULL, 2);
  if (pthread_create(&worker, NULL, work, NULL) != 0)
    return 1;
  DMD_REPORTER_BEGIN("explicit/words");
  handle = DMD_REPORTER_HANDLE();
  size_t size = words_size_of(first);
#ifdef FIXED
  wait_for(worker);
  size += size_of_second;
  DMD_REPORTER_END(size);
#else
  DMD_REPORTER_END(size);
  wait_for(worker);
#endif
  DMD_DUMP("words");
  return 0;
}
