/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "together.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

_Noreturn void together_die(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("# ", stdout);
  vprintf(format, args);
  puts("\nBail out!");
  va_end(args);
  fflush(stdout);
  _Exit(1);
}

static void *host_alloc(void *ctx, const char *cost_centre, size_t szB) {
  (void)ctx, (void)cost_centre;
  void *p = malloc(szB);
  CHECK(p != NULL);
  return memset(p, 0xa5, szB);
}

static void host_free(void *ctx, void *p) {
  (void)ctx;
  free(p);
}

static void host_panic(void *ctx, const char *what) {
  (void)ctx;
  together_die("panic: %s", what);
}

const dmd_env_t together_env = {.alloc = host_alloc, .free = host_free, .panic = host_panic};

static void wait_for(void *ctx, uint32_t *word, uint32_t while_it_is) {
  const struct timespec longest = {.tv_nsec = 5000000};
  (void)ctx;
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, while_it_is, &longest, NULL, 0);
}

static void wake_all(void *ctx, uint32_t *word) {
  (void)ctx;
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

const dmd_waiting_t together_waiting = {.wait = wait_for, .wake = wake_all};

uint64_t together_roll(uint64_t *dice, uint64_t n) {
  *dice = dmd_hash_u64(*dice + UINT64_C(0x9e3779b97f4a7c15));
  return *dice % n;
}

void together_run(uint32_t n, void *(*body)(void *), void *args, size_t arg_szB) {
  pthread_t threads[MAX_THREADS + 1];
  for (uint32_t i = 0; i < n; i++)
    CHECK(pthread_create(&threads[i], NULL, body, (char *)args + i * arg_szB) == 0);
  for (uint32_t i = 0; i < n; i++)
    pthread_join(threads[i], NULL);
}
