/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A word that is not always a pointer: small numbers are kept in it as they are.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: report-no-address
 *   num: 1
 *   text: Report of an unmapped address {
 *   reporter: explicit/values
 *   at: value_size_of @fn < value_measure @report
 */
#include <stdint.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

/* A pointer to text, or a number with the lowest bit set. */
typedef uintptr_t value_t;

DMD_MALLOC_SIZE_OF_FN(value_size_of) /* @fn */

static size_t value_measure(value_t value) {
#ifdef FIXED
  if (value & 1)
    return 0;
#endif
  return value_size_of((const void *)value); /* @report */
}

int main(void) {
  value_t text = (value_t)malloc(100), number = 21 << 1 | 1;
  DMD_REPORTER_BEGIN("explicit/values");
  size_t size = value_measure(text) + value_measure(number);
  DMD_REPORTER_END(size);
  DMD_DUMP("two values");
  return 0;
}
