/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Claims near the limits of 64-bit numbers.
 */
#include <stdint.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(measure)

static void *block; /* of 408 bytes */

#define CLAIM(function, claim)                                                                     \
  static void function(void) {                                                                     \
    DMD_REPORTER_BEGIN("explicit/" #function);                                                     \
    measure(block);                                                                                \
    DMD_REPORTER_END(claim);                                                                       \
    DMD_UNREPORT(block);                                                                           \
  }

CLAIM(largest, SIZE_MAX)
CLAIM(minus_measured, (size_t)-408)
CLAIM(two_to_63, (size_t)1 << 63)
CLAIM(largest_signed, SIZE_MAX >> 1)
CLAIM(one, 1)

/* One place whose differences add up to more than 64 bits hold. */
static void thrice(void) {
  for (size_t i = 0; i < 3; i++) {
    DMD_REPORTER_BEGIN("explicit/thrice");
    DMD_REPORTER_END(SIZE_MAX - i);
  }
}

/* The outer sum is right except for the inner claim, although it wrapped around. */
static void within(void) {
  DMD_REPORTER_BEGIN("explicit/within");
  size_t size = measure(block);
  DMD_REPORTER_BEGIN("explicit/within/inner");
  DMD_REPORTER_END(SIZE_MAX);
  DMD_REPORTER_END(size + SIZE_MAX);
}

int main(void) {
  block = malloc(400);
  largest();
  minus_measured();
  two_to_63();
  largest_signed();
  one();
  thrice();
  within();
  return 0;
}
