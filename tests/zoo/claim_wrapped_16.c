/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that adds up in 16 bits.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/rows
 *   claimed: 34464
 *   measured: 100000
 *   bytes: 65536
 *   reason: wrapped-16
 *   at: rows_measure @end
 *   text: Likely reason: the claim went through an integer of 16 bits, and lost the rest
 */
#include <stdint.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(rows_size_of)

#ifdef FIXED
typedef size_t total_t;
#else
typedef uint16_t total_t;
#endif

static void rows_measure(void *const rows[], int n) {
  DMD_REPORTER_BEGIN("explicit/rows");
  total_t size = 0;
  for (int i = 0; i < n; i++)
    size = (total_t)(size + rows_size_of(rows[i]));
  DMD_REPORTER_END(size); /* @end */
}

int main(void) {
  void *rows[100];
  for (int i = 0; i < 100; i++)
    rows[i] = malloc(1000);
  rows_measure(rows, 100);
  DMD_DUMP("rows");
  return 0;
}
