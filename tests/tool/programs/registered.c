/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Registered reporters: one measures all of its blocks, one forgets a block in its sum, and one
 * keeps a sum. The argument says what makes the program dump.
 *
 * Flags: -ldmd-reporters -pthread */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <valgrind/dmd-reporters.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(measure)
DMD_MALLOC_SIZE_OF_ON_ALLOC_FN(on_alloc)

enum { N = 3 };
static char *whole[N], *partly[N], *counted[N], *dark;
static long long sum;

static void make_whole(void) {
  for (int i = 0; i < N; i++)
    whole[i] = malloc(1000);
}

static void make_short(void) {
  for (int i = 0; i < N; i++)
    partly[i] = malloc(1000);
}

static void make_counted(void) {
  for (int i = 0; i < N; i++) {
    counted[i] = malloc(1000);
    DMD_REPORTER_BEGIN("explicit/counted");
    size_t size = on_alloc(counted[i]);
    DMD_REPORTER_END(size);
    sum += (long long)size;
  }
}

static void make_dark(void) {
  dark = malloc(1000);
}

static void report(struct dmd_reporters_call *call, const char *path, long long amount) {
  dmd_reporters_report(call, path, DMD_REPORTERS_HEAP, DMD_REPORTERS_BYTES, amount, NULL);
}

static void measure_whole(struct dmd_reporters_call *call, void *closure) {
  long long n = 0;
  (void)closure;
  for (int i = 0; i < N; i++)
    n += (long long)measure(whole[i]);
  report(call, "explicit/whole", n);
  dmd_reporters_report(call, "hits", DMD_REPORTERS_OTHER, DMD_REPORTERS_COUNT, 7, NULL);
}

static void measure_short(struct dmd_reporters_call *call, void *closure) {
  long long n = 0;
  (void)closure;
  for (int i = 0; i < N; i++)
    n += (long long)measure(partly[i]) * (i > 0);
  report(call, "explicit/short", n);
}

static void publish_sum(struct dmd_reporters_call *call, void *closure) {
  (void)closure;
  report(call, "explicit/counted", sum);
}

static void take(void *closure, const struct dmd_reporters_value *value) {
  (void)closure, (void)value;
}

/* Until the standard input ends. */
static void serve(int polls) {
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  dmd_reporters_start(0);
  puts("ready");
  fflush(stdout);
  while (poll(&input, 1, 5) <= 0)
    if (polls)
      dmd_reporters_poll();
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "dump";
  make_whole();
  make_short();
  make_counted();
  make_dark();
  dmd_reporters_register(measure_whole, NULL, "explicit/whole", 0);
  dmd_reporters_register(measure_short, NULL, "explicit/short", 0);
  dmd_reporters_register(publish_sum, NULL, "explicit/counted", DMD_REPORTERS_SUMS);
  dmd_reporters_collect(take, NULL, 0); /* for another purpose */
  if (strcmp(how, "dump") == 0)
    return dmd_reporters_dump("registered") == 1 ? 0 : 1;
  if (strcmp(how, "macro") == 0)
    return DMD_DUMP("registered") == 1 ? 0 : 1;
  if (strcmp(how, "serves") == 0 || strcmp(how, "deaf") == 0)
    serve(strcmp(how, "serves") == 0);
  if (strcmp(how, "stack") == 0)
    dmd_reporters_register(measure_whole, &how, "stack", 0);
  if (strcmp(how, "signal") == 0) {
    dmd_reporters_start(0);
    kill(getpid(), 59);
    dmd_reporters_poll();
  }
  return 0;
}
