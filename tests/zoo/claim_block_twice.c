/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that walks a list, and adds one item twice: the one that is shown.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/pictures
 *   claimed: 17008
 *   measured: 12008
 *   bytes: 5000
 *   reason: block-twice
 *   at: pictures_measure @end
 *   allocatedAt: main @shown
 *   text: Likely reason: one of its blocks is counted once too often
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(pictures_size_of)

static void pictures_measure(void *const pictures[], int n, int shown) {
  DMD_REPORTER_BEGIN("explicit/pictures");
  size_t size = 0;
  for (int i = 0; i < n; i++) {
    size_t of_picture = pictures_size_of(pictures[i]);
    size += of_picture;
#ifdef FIXED
    (void)shown;
#else
    if (i == shown)
      size += of_picture;
#endif
  }
  DMD_REPORTER_END(size); /* @end */
}

int main(void) {
  void *pictures[3];
  pictures[0] = malloc(3000);
  pictures[1] = malloc(5000); /* @shown */
  pictures[2] = malloc(4008);
  pictures_measure(pictures, 3, 1);
  DMD_DUMP("pictures");
  return 0;
}
