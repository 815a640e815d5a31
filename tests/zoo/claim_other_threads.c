/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that claims what its worker threads reported outside of it. In the twin the workers
 * have a reporter of their own.
 *
 * Flags: -pthread
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/caches
 *   claimed: 2200
 *   measured: 200
 *   bytes: 2000
 *   reason: other-threads
 *   at: caches_measure @end < main
 *   text: 2,200 bytes claimed, 200 bytes measured: 2,000 bytes too many
 *   text: Likely reason: the claim contains what other threads reported meanwhile
 */
#include <pthread.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(cache_size_of)

enum { N_WORKERS = 2 };

struct worker {
  void *cache;
  size_t size;
};

static void *work(void *arg) {
  struct worker *worker = arg;
#ifdef FIXED
  DMD_REPORTER_BEGIN("explicit/caches/workers");
#endif
  worker->size = cache_size_of(worker->cache);
#ifdef FIXED
  DMD_REPORTER_END(worker->size);
#endif
  return NULL;
}

static size_t caches_measure(void *shared, struct worker *workers) {
  DMD_REPORTER_BEGIN("explicit/caches");
  size_t size = cache_size_of(shared);
  for (int i = 0; i < N_WORKERS; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, &workers[i]);
    pthread_join(thread, NULL);
#ifndef FIXED
    size += workers[i].size;
#endif
  }
  DMD_REPORTER_END(size); /* @end */
  return size;
}

int main(void) {
  struct worker workers[N_WORKERS] = {{malloc(1000), 0}, {malloc(1000), 0}};
  void *shared = malloc(200);
  caches_measure(shared, workers);
  DMD_DUMP("caches");
  return 0;
}
