/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * collect: what memory reporters cost a program: 500 reporters with 20 values each.
 *
 *   collect collect N   collects N times
 *   collect answer N    answers whoever asks, N times; prints "ready" before that
 *   collect poll N      polls N times, while nobody asks
 *   collect loop N      the same loop without the poll
 *
 * Prints the nanoseconds that each took, the calls of malloc, calloc and realloc meanwhile, and the
 * library's own memory in bytes. perf/reporters compares them with their bounds.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <valgrind/dmd-reporters.h>

enum { REPORTERS = 500, VALUES = 20 };

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static long g_n_allocations;

void *malloc(size_t szB) {
  g_n_allocations++;
  return __libc_malloc(szB);
}

void *calloc(size_t n, size_t szB) {
  g_n_allocations++;
  return __libc_calloc(n, szB);
}

void *realloc(void *p, size_t szB) {
  g_n_allocations++;
  return __libc_realloc(p, szB);
}

static long long g_own_szB;
static char g_paths[REPORTERS][VALUES][40];

static void measure(struct dmd_reporters_call *call, void *closure) {
  for (int i = 0; i < VALUES; i++)
    dmd_reporters_report(call, ((char(*)[40])closure)[i], DMD_REPORTERS_HEAP, DMD_REPORTERS_BYTES,
                         4096 + i, "What a part of the program uses.");
}

static void take(void *closure, const struct dmd_reporters_value *value) {
  ++*(long *)closure;
  if (strcmp(value->path, "explicit/dmd-reporters") == 0)
    g_own_szB = value->amount;
}

static void collect(void) {
  long n = 0;
  if (dmd_reporters_collect(take, &n, 0) != n || n < REPORTERS * VALUES)
    abort();
}

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* A signal ends the waiting. */
static double answer(void) {
  while (!__atomic_load_n(&dmd_reporters_wanted_, __ATOMIC_RELAXED))
    poll(NULL, 0, 1000);
  double begin = now_ns();
  dmd_reporters_poll();
  return now_ns() - begin;
}

static double do_often(const char *what, long n) {
  double spent = 0, begin = now_ns();
  if (strcmp(what, "answer") == 0) {
    for (long i = 0; i < n; i++)
      spent += answer();
    return spent;
  }
  if (strcmp(what, "collect") == 0)
    for (long i = 0; i < n; i++)
      collect();
  else if (strcmp(what, "poll") == 0)
    for (long i = 0; i < n; i++) {
      dmd_reporters_poll();
      __asm__ volatile("" ::: "memory");
    }
  else
    for (long i = 0; i < n; i++)
      __asm__ volatile("" ::: "memory");
  return now_ns() - begin;
}

int main(int argc, char **argv) {
  long n = argc > 2 ? atol(argv[2]) : 1;
  for (int i = 0; i < REPORTERS; i++) {
    for (int k = 0; k < VALUES; k++)
      snprintf(g_paths[i][k], sizeof g_paths[i][k], "explicit/part%d/thing%d", i, k);
    dmd_reporters_register(measure, g_paths[i], "explicit/part", 0);
  }
  dmd_reporters_start(0);
  puts("ready");
  fflush(stdout);
  long before = g_n_allocations;
  double ns = do_often(argc > 1 ? argv[1] : "collect", n);
  long n_allocations = g_n_allocations - before;
  collect();
  printf("%.3f %ld %lld\n", ns / (double)(n > 0 ? n : 1), n_allocations, g_own_szB);
  return 0;
}
