/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Registered reporters: one measures all of its blocks, one forgets a block in its sum, and one
 * keeps a sum.
 *
 * Flags: -ldmd-reporters -pthread */
#include <stdlib.h>
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

int main(void) {
  make_whole();
  make_short();
  make_counted();
  make_dark();
  dmd_reporters_register(measure_whole, NULL, "explicit/whole", 0);
  dmd_reporters_register(measure_short, NULL, "explicit/short", 0);
  dmd_reporters_register(publish_sum, NULL, "explicit/counted", DMD_REPORTERS_SUMS);
  dmd_reporters_collect(take, NULL, 0); /* for another purpose: the dump forgets it */
  return dmd_reporters_dump("registered") == 1 ? 0 : 1;
}
