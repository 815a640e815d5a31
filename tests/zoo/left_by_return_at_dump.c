/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A tag that an early return leaves on the thread, and no other tag that is taken off afterwards.
 * The dump itself is made under a tag, which is no fault.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: scope-left-open
 *   num: 1
 *   scope: decoder
 *   text: Scope that was never ended {
 *   at: decode @begin < load @caller < main
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(pictures_size_of)

static void *decode(const char *file) {
  DMD_TAG_PUSH("decoder"); /* @begin */
  void *pixels = malloc(1000);
  if (file[0] != 'P') {
#ifdef FIXED
    DMD_TAG_POP();
#endif
    return pixels;
  }
  DMD_TAG_POP();
  return pixels;
}

static void *load(void) {
  void *pixels = decode("no picture"); /* @caller */
  return pixels;
}

int main(void) {
  DMD_TAG_PUSH("main");
  void *pixels = load();
  pictures_size_of(pixels);
  DMD_DUMP("a picture");
  return 0;
}
