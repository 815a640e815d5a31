/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A tag that an early return leaves on the thread, so that later blocks bear it by mistake.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: scope-left-open
 *   num: 1
 *   scope: decoder
 *   at: decode @begin < load @caller < main
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(pictures_size_of)

static void *decode(const char *file) {
  DMD_TAG_PUSH("decoder"); /* @begin */
  if (file[0] != 'P') {
#ifdef FIXED
    DMD_TAG_POP();
#endif
    return NULL;
  }
  void *pixels = malloc(1000);
  DMD_TAG_POP();
  return pixels;
}

static void *load(void) {
  DMD_TAG_PUSH("pictures");
  void *pixels = decode("no picture"); /* @caller */
  if (pixels == NULL)
    pixels = decode("P5 1 1 255 x");
  DMD_TAG_POP();
  return pixels;
}

int main(void) {
  void *pixels = load();
  pictures_size_of(pixels);
  DMD_DUMP("a picture");
  return 0;
}
