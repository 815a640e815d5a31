/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter adds the size of a structure that has no block of its own: it is a member of another
 * one.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/window/title
 *   claimed: 224
 *   measured: 200
 *   bytes: 24
 *   reason: struct-size
 *   text: 224 bytes claimed, 200 bytes measured: 24 bytes too many
 *   text: Likely reason: the claim contains bytes that were not reported, perhaps the size of a
 *     structure
 *   at: title_measure @end
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct title {
  char *text;
  size_t length;
  int colour;
};

struct window {
  struct title title;
  int width, height;
};

DMD_MALLOC_SIZE_OF_FN(window_size_of)

static size_t title_measure(const struct title *title) {
  DMD_REPORTER_BEGIN("explicit/window/title");
  size_t size = window_size_of(title->text);
#ifndef FIXED
  size += sizeof *title;
#endif
  DMD_REPORTER_END(size); /* @end */
  return size;
}

int main(void) {
  struct window *window = malloc(sizeof *window);
  window->title.text = malloc(200);
  window_size_of(window);
  title_measure(&window->title);
  DMD_DUMP("a window");
  return 0;
}
