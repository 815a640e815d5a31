/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stacks of threads: three of 1 MiB, of which one is reported, one that the program mapped itself,
 * and one that is a block.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <valgrind/dmd.h>

enum { KIB = 1024, N = 5, MAPPED = 3, BLOCK = 4, OWN_SZB = 256 * KIB };

static pthread_barrier_t g_both;

static void check(int is_good) {
  if (!is_good)
    abort();
}

static void *wait_twice(void *unused) {
  pthread_barrier_wait(&g_both);
  pthread_barrier_wait(&g_both);
  return unused;
}

static void start(pthread_t *thread) {
  pthread_attr_t attributes;
  check(pthread_attr_init(&attributes) == 0);
  check(pthread_attr_setstacksize(&attributes, 1024 * KIB) == 0);
  check(pthread_create(thread, &attributes, wait_twice, NULL) == 0);
  pthread_attr_destroy(&attributes);
}

static void start_on(pthread_t *thread, void *stack) {
  pthread_attr_t attributes;
  check(pthread_attr_init(&attributes) == 0);
  check(pthread_attr_setstack(&attributes, stack, OWN_SZB) == 0);
  check(pthread_create(thread, &attributes, wait_twice, NULL) == 0);
  pthread_attr_destroy(&attributes);
}

static void *map_own(void) {
  void *p =
      mmap(NULL, OWN_SZB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  check(p != MAP_FAILED);
  return p;
}

static size_t report_stack(pthread_t thread) {
  pthread_attr_t attributes;
  void *stack;
  size_t szB;
  check(pthread_getattr_np(thread, &attributes) == 0);
  check(pthread_attr_getstack(&attributes, &stack, &szB) == 0 && szB <= 1024 * KIB);
  pthread_attr_destroy(&attributes);
  return DMD_REPORT_MAPPED(stack, szB);
}

int main(void) {
  pthread_t threads[N];
  void *block = aligned_alloc(4 * KIB, OWN_SZB);
  pthread_barrier_init(&g_both, NULL, N + 1);
  for (int i = 0; i < 3; i++)
    start(&threads[i]);
  start_on(&threads[MAPPED], map_own());
  start_on(&threads[BLOCK], block);
  pthread_barrier_wait(&g_both);
  DMD_REPORTER_BEGIN("explicit/stack");
  size_t n = report_stack(threads[0]);
  DMD_REPORTER_END(n);
  printf("%zu\n", n);
  fflush(stdout);
  DMD_DUMP("running");
  pthread_barrier_wait(&g_both);
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], NULL);
  DMD_DUMP("joined");
  free(block);
  return 0;
}
