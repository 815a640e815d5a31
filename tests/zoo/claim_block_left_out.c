/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that walks a list, reports every item, and does not add the first one.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/pictures
 *   claimed: 9008
 *   measured: 12008
 *   bytes: 3000
 *   reason: block-left-out
 *   at: pictures_measure @end
 *   allocatedAt: main @first
 *   text: Likely reason: one of its blocks is left out
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(pictures_size_of)

static void pictures_measure(void *const pictures[], int n) {
  DMD_REPORTER_BEGIN("explicit/pictures");
  size_t size = 0;
  for (int i = 0; i < n; i++) {
    size_t of_picture = pictures_size_of(pictures[i]);
#ifndef FIXED
    if (i > 0)
#endif
      size += of_picture;
  }
  DMD_REPORTER_END(size); /* @end */
}

int main(void) {
  void *pictures[3];
  pictures[0] = malloc(3000); /* @first */
  pictures[1] = malloc(5000);
  pictures[2] = malloc(4008);
  pictures_measure(pictures, 3);
  DMD_DUMP("pictures");
  return 0;
}
