/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that claims a number of pointers instead of bytes.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/index
 *   claimed: 150
 *   measured: 1200
 *   bytes: 1050
 *   reason: in-words
 *   at: index_measure @end
 *   text: Likely reason: the claim is in units of 8 bytes
 */
#include <stdint.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(index_size_of)

static void index_measure(void *slots, void *spare) {
  DMD_REPORTER_BEGIN("explicit/index");
  size_t size = index_size_of(slots) + index_size_of(spare);
#ifndef FIXED
  size /= sizeof(uint64_t);
#endif
  DMD_REPORTER_END(size); /* @end */
}

int main(void) {
  void *slots = malloc(1000), *spare = malloc(200);
  index_measure(slots, spare);
  DMD_DUMP("an index");
  return 0;
}
