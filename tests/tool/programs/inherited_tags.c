/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -pthread
 *
 * Threads and tags. Argument: how many tags a thread inherits from a creator with tags, 0
 * or 1. Each thread's block is allocated in a function of its own. Prints the process id of
 * the child that it forks.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/dmd.h>

static void *volatile keep[32];
static size_t inherits;

static void check(int good) {
  if (!good)
    abort();
}

static pthread_t start(void *(*work)(void *)) {
  pthread_t thread;
  check(pthread_create(&thread, NULL, work, NULL) == 0);
  return thread;
}

static void run(void *(*work)(void *)) {
  pthread_join(start(work), NULL);
}

/* ---- Child and grandchild. ---- */

static void *child_of_untagged(void *arg) {
  keep[0] = malloc(100);
  check(DMD_TAG_POP() == 0);
  return arg;
}

static void pop_too_many(void) {
  check(DMD_TAG_POP() == inherits);
}

static void child_still(void) {
  keep[1] = malloc(100);
}

static void child_own(void) {
  keep[2] = malloc(100);
}

static void *grandchild(void *arg) {
  keep[3] = malloc(100);
  return arg;
}

static void *grandchild_of_own(void *arg) {
  keep[4] = malloc(100);
  return arg;
}

static void *child(void *arg) {
  pop_too_many();
  check(DMD_CLEAR_HEAP_BLOCK_TAG() == inherits);
  child_still();
  run(grandchild);
  check(DMD_TAG_PUSH("own") == inherits + 1);
  child_own();
  run(grandchild_of_own);
  check(DMD_TAG_POP() == inherits);
  return arg;
}

/* ---- The creator pops, and ends, before the child allocates. ---- */

static pthread_barrier_t barrier;
static pthread_t orphaned;

static void *orphan(void *arg) {
  pthread_barrier_wait(&barrier);
  keep[5] = malloc(100);
  return arg;
}

static void *creator(void *arg) {
  DMD_TAG_PUSH("of creator");
  orphaned = start(orphan);
  DMD_TAG_POP();
  return arg;
}

static void orphans(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run(creator);
  DMD_TAG_PUSH("not of orphan");
  pthread_barrier_wait(&barrier);
  pthread_join(orphaned, NULL);
  DMD_TAG_POP();
}

/* ---- Pools of one thread, which does a job when the barrier opens. ---- */

static void *worker_of_early_pool(void *arg) {
  pthread_barrier_wait(&barrier);
  keep[6] = malloc(100);
  return arg;
}

static void *worker_of_tagged_pool(void *arg) {
  pthread_barrier_wait(&barrier);
  keep[7] = malloc(100);
  return arg;
}

static void pools(void) {
  pthread_t early = start(worker_of_early_pool);
  DMD_SET_HEAP_BLOCK_TAG("of pool");
  pthread_t tagged = start(worker_of_tagged_pool);
  DMD_SET_HEAP_BLOCK_TAG("of job");
  pthread_barrier_wait(&barrier);
  pthread_join(early, NULL);
  pthread_join(tagged, NULL);
  DMD_CLEAR_HEAP_BLOCK_TAG();
}

/* ---- A detached thread. ---- */

static void *detached(void *arg) {
  keep[8] = malloc(100);
  pthread_barrier_wait(&barrier);
  return arg;
}

static void detaches(void) {
  pthread_attr_t attr;
  pthread_t thread;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  DMD_TAG_PUSH("of detached");
  check(pthread_create(&thread, &attr, detached, NULL) == 0);
  DMD_TAG_POP();
  pthread_barrier_wait(&barrier);
}

/* ---- Numbers are used again. ---- */

static void *leaves_tags_open(void *arg) {
  DMD_TAG_PUSH("left open");
  DMD_SET_HEAP_BLOCK_TAG("left set");
  return arg;
}

static void *with_used_number(void *arg) {
  keep[9] = malloc(100);
  check(DMD_TAG_PUSH("fresh") == 1);
  return arg;
}

static void used_numbers(void) {
  DMD_TAG_PUSH("inherited");
  run(leaves_tags_open);
  DMD_TAG_POP();
  run(with_used_number);
}

/* In a forked child the other threads are gone without having ended; their numbers are free. */
static void *stays_open(void *arg) {
  DMD_TAG_PUSH("open in parent");
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  return arg;
}

static void *after_fork(void *arg) {
  check(DMD_TAG_PUSH("fresh") == 1);
  keep[10] = malloc(100);
  return arg;
}

static void forks(void) {
  pthread_t thread = start(stays_open);
  pthread_barrier_wait(&barrier);
  pid_t pid = fork();
  if (pid == 0) {
    run(after_fork);
    check(DMD_TAG_BLOCKS("fresh") == 1);
    _exit(7);
  }
  int status;
  check(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
  dprintf(1, "%d", (int)pid);
  pthread_barrier_wait(&barrier);
  pthread_join(thread, NULL);
}

/* ---- Two threads at once, in and out of tags at every block. ---- */

enum { ROUNDS = 1000 };
static void *volatile own[2][3 * ROUNDS];

static void tagged_at_once(size_t i) {
  const char *name = i == 0 ? "even" : "odd";
  for (int k = 0; k < ROUNDS; k++) {
    DMD_TAG_PUSH(name);
    own[i][3 * k] = malloc(10 + i);
    DMD_SET_HEAP_BLOCK_TAG(i == 0 ? "even set" : "odd set");
    own[i][3 * k + 1] = malloc(30 + i);
    DMD_TAG_POP();
    own[i][3 * k + 2] = malloc(50 + i);
    if (k % 100 == 0)
      pthread_barrier_wait(&barrier);
  }
}

static void *at_once(void *arg) {
  tagged_at_once((size_t)arg);
  return NULL;
}

static void two_at_once(void) {
  pthread_t threads[2];
  for (size_t i = 0; i < 2; i++)
    check(pthread_create(&threads[i], NULL, at_once, (void *)i) == 0);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
}

int main(int argc, char **argv) {
  inherits = argc > 1 ? (size_t)atoi(argv[1]) : 1;
  run(child_of_untagged);
  DMD_TAG_PUSH("outer");
  DMD_SET_HEAP_BLOCK_TAG("inner");
  run(child);
  DMD_TAG_POP();
  orphans();
  pthread_barrier_destroy(&barrier);
  pthread_barrier_init(&barrier, NULL, 3);
  pools();
  pthread_barrier_destroy(&barrier);
  pthread_barrier_init(&barrier, NULL, 2);
  detaches();
  used_numbers();
  forks();
  two_at_once();
  return 0;
}
