/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that claims bits.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/bitmap
 *   claimed: 9600
 *   measured: 1200
 *   bytes: 8400
 *   reason: in-bits
 *   at: bitmap_measure @end
 *   text: Likely reason: the claim is in bits
 */
#include <limits.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(bitmap_size_of)

/* How many bits there is room for. */
static size_t bitmap_bits(size_t size) {
  return size * CHAR_BIT;
}

static void bitmap_measure(void *used, void *free) {
  DMD_REPORTER_BEGIN("explicit/bitmap");
  size_t size = bitmap_size_of(used) + bitmap_size_of(free);
#ifdef FIXED
  (void)bitmap_bits;
#else
  size = bitmap_bits(size);
#endif
  DMD_REPORTER_END(size); /* @end */
}

int main(void) {
  void *used = malloc(1000), *free = malloc(200);
  bitmap_measure(used, free);
  DMD_DUMP("a bitmap");
  return 0;
}
