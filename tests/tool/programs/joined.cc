/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -pthread
 *
 * Reporters whose threads share the work: one for each way to declare it, one that does not
 * declare it, and one that is joined after it ended.
 */
#include <pthread.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(block_size_of)

enum { N_THREADS = 4, N_BLOCKS = 100 };

struct job {
  size_t handle, size;
  void *block[N_BLOCKS];
};

static size_t measure(const struct job *job) {
  size_t size = 0;
  for (int i = 0; i < N_BLOCKS; i++)
    size += block_size_of(job->block[i]);
  return size;
}

static void *join(void *arg) {
  job *work = static_cast<job *>(arg);
  DMD_REPORTER_JOIN(work->handle);
  work->size = measure(work);
  DMD_REPORTER_LEAVE();
  return NULL;
}

static void *join_by_guard(void *arg) {
  job *work = static_cast<job *>(arg);
  dmd::JoinScope scope(work->handle);
  work->size = measure(work);
  return NULL;
}

static void *join_nothing(void *arg) {
  job *work = static_cast<job *>(arg);
  work->size = measure(work);
  return NULL;
}

static job *new_jobs() {
  job *jobs = static_cast<job *>(calloc(N_THREADS, sizeof *jobs));
  for (int t = 0; t < N_THREADS; t++)
    for (int i = 0; i < N_BLOCKS; i++)
      jobs[t].block[i] = malloc(24);
  return jobs;
}

static size_t run(job *jobs, void *(*work)(void *)) {
  pthread_t threads[N_THREADS];
  size_t size = 0;
  for (int t = 0; t < N_THREADS; t++) {
    jobs[t].handle = DMD_REPORTER_HANDLE();
    if (pthread_create(&threads[t], NULL, work, &jobs[t]) != 0)
      abort();
  }
  for (int t = 0; t < N_THREADS; t++) {
    pthread_join(threads[t], NULL);
    size += jobs[t].size;
  }
  return size;
}

static void joined() {
  job *jobs = new_jobs();
  DMD_REPORTER_BEGIN("explicit/joined");
  DMD_REPORTER_END(run(jobs, join));
}

static void joined_by_guard() {
  job *jobs = new_jobs();
  DMD_REPORTER_BEGIN("explicit/guarded");
  DMD_REPORTER_END(run(jobs, join_by_guard));
}

static void not_joined() {
  job *jobs = new_jobs();
  DMD_REPORTER_BEGIN("explicit/alone");
  DMD_REPORTER_END(run(jobs, join_nothing));
}

static void joined_too_late() {
  DMD_REPORTER_BEGIN("explicit/over");
  size_t handle = DMD_REPORTER_HANDLE();
  DMD_REPORTER_END(0);
  DMD_REPORTER_JOIN(handle);
}

int main() {
  joined();
  joined_by_guard();
  not_joined();
  joined_too_late();
  return 0;
}
