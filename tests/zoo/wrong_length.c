/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A length that is passed along with a report, as the first DMD wanted it, and that is not the
 * block's.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: report-length
 *   num: 1
 *   length: 800
 *   text: a block of 408 bytes, reported with a length of 800 bytes
 *   size: 408
 *   bytes: 392
 *   reporter: explicit/samples
 *   at: samples_measure @report
 *   allocatedAt: main @alloc
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct samples {
  int *values;
  size_t n;
};

static void samples_measure(const struct samples *samples) {
#ifdef FIXED
  size_t length = samples->n * sizeof(int);
#else
  size_t length = samples->n * sizeof(long);
#endif
  VALGRIND_DMD_REPORT(samples->values, length, "explicit/samples"); /* @report */
}

int main(void) {
  struct samples samples = {malloc(100 * sizeof(int)), 100}; /* @alloc */
  samples_measure(&samples);
  VALGRIND_DMD_CHECK_REPORTING;
  return 0;
}
