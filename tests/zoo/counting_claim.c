/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that claims the sum that an allocator counts, from which one of two frees does not
 * subtract.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/pages
 *   claimed: 1392
 *   measured: 1000
 *   bytes: 392
 *   reason: freed-counted
 *   at: pages_measure @end
 *   allocatedAt: page_new @malloc < main @forgotten
 *   freedAt: page_drop @free < main
 *   text: 1,392 bytes claimed, 1,000 bytes measured: 392 bytes too many
 *   text: Likely reason: the claim is a sum from which freed blocks were not subtracted: see below
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_ON_ALLOC_FN(pages_on_alloc)
DMD_MALLOC_SIZE_OF_ON_FREE_FN(pages_on_free)

static size_t pages_size;

static void *page_new(size_t size) {
  void *page = malloc(size); /* @malloc */
  DMD_REPORTER_BEGIN("explicit/pages");
  size_t usable = pages_on_alloc(page);
  DMD_REPORTER_END(usable);
  pages_size += usable;
  return page;
}

static void page_free(void *page) {
  pages_size -= pages_on_free(page);
  free(page);
}

static void page_drop(void *page) {
#ifdef FIXED
  page_free(page);
#else
  free(page); /* @free */
#endif
}

static size_t pages_measure(void) {
  DMD_REPORTER_BEGIN("explicit/pages");
  DMD_REPORTER_END(pages_size); /* @end */
  return pages_size;
}

int main(void) {
  void *kept = page_new(1000), *freed = page_new(600);
  void *dropped = page_new(392); /* @forgotten */
  page_free(freed);
  page_drop(dropped);
  pages_measure();
  DMD_DUMP("a page");
  return kept == NULL;
}
