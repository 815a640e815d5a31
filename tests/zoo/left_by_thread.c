/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A thread that ends within a reporter.
 *
 * Mozilla's DMD: nothing
 * Flags: -pthread
 *
 * Expect: scope-left-open
 *   num: 1
 *   text: Scope that was never ended {
 *   scope: explicit/worker
 *   at: worker_measure @begin
 */
#include <pthread.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

struct worker {
  int *results, *plans;
};

DMD_MALLOC_SIZE_OF_FN(worker_size_of)

static void worker_measure(const struct worker *worker) {
  DMD_REPORTER_BEGIN("explicit/worker"); /* @begin */
  size_t size = worker_size_of(worker->results);
#ifndef FIXED
  if (worker->plans == NULL)
    pthread_exit(NULL);
#endif
  size += worker_size_of(worker->plans);
  DMD_REPORTER_END(size);
}

static void *work(void *worker) {
  worker_measure(worker);
  return NULL;
}

int main(void) {
  struct worker worker = {malloc(400), NULL};
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, &worker) != 0)
    abort();
  pthread_join(thread, NULL);
  DMD_DUMP("a worker without plans");
  return 0;
}
