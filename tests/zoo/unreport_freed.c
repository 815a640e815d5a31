/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A counting allocator takes a block out of its count after the block was freed: too late, since
 * the block has no size any more.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: unreport-no-block
 *   num: 1
 *   bytes: 408
 *   size: 408
 *   text: Unreport of something that is not a live block {
 *   text: a block of 408 bytes
 *   at: count_on_free @fn < text_uncount @unreport
 *   allocatedAt: text_init @alloc
 *   freedAt: text_free @free
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_ON_ALLOC_FN(count_on_alloc)
DMD_MALLOC_SIZE_OF_ON_FREE_FN(count_on_free) /* @fn */

static size_t counted;

struct text {
  char *letters;
};

static void text_init(struct text *text) {
  text->letters = malloc(400); /* @alloc */
  counted += count_on_alloc(text->letters);
}

static void text_uncount(const struct text *text) {
  counted -= count_on_free(text->letters); /* @unreport */
}

static void text_free(struct text *text) {
#ifdef FIXED
  text_uncount(text);
#endif
  free(text->letters); /* @free */
#ifndef FIXED
  text_uncount(text);
#endif
}

int main(void) {
  struct text kept, gone;
  text_init(&kept);
  text_init(&gone);
  text_free(&gone);
  DMD_DUMP("one text of two");
  text_free(&kept);
  return 0;
}
