/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Ten thousand reporters: one after the other, and each within the one before it. All claims are
 * right but ten.
 */
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

enum { N = 10000 };

DMD_MALLOC_SIZE_OF_FN(measure)

static void *keep[N + 1];

static void begin(const char *prefix, int i) {
  char path[60];
  snprintf(path, sizeof path, "explicit/%s-%d", prefix, i);
  DMD_REPORTER_BEGIN(path);
}

/* Every thousandth returns 1 byte too many. */
static void one_after_the_other(void) {
  for (int i = 1; i <= N; i++) {
    keep[i - 1] = malloc(100);
    begin("row", i);
    size_t size = measure(keep[i - 1]);
    DMD_REPORTER_END(size + (i % 1000 == 0));
  }
}

static void each_within_the_last(void) {
  keep[N] = malloc(5000);
  for (int i = 1; i <= N; i++)
    begin("nest", i);
  size_t size = measure(keep[N]);
  for (int i = N; i >= 1; i--)
    if (DMD_REPORTER_END(size) != (RUNNING_ON_DMD ? (size_t)i - 1 : 0))
      abort();
}

int main(void) {
  one_after_the_other();
  each_within_the_last();
  return 0;
}
