/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An allocator that counts, and whose free never subtracts. All that it ever allocated is
 * published.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: freed-counted
 *   num: 50
 *   reporter: explicit/titles
 *   claimed: 51000
 *   measured: 1000
 *   bytes: 50000
 *   at: main @publish
 *   allocatedAt: titles_malloc @malloc < main @alloc
 *   freedAt: titles_free @free < main @caller
 *   reportedAt: titles_on_alloc < titles_malloc @report
 *   text: 50 blocks, 50,000 bytes
 *   text: 51,000 bytes published, 1,000 bytes measured: 50,000 bytes too many
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_ON_ALLOC_FN(titles_on_alloc)
DMD_MALLOC_SIZE_OF_ON_FREE_FN(titles_on_free)

static size_t titles_size;

static void *titles_malloc(size_t size) {
  void *p = malloc(size); /* @malloc */
  DMD_REPORTER_BEGIN("explicit/titles");
  size_t usable = titles_on_alloc(p); /* @report */
  DMD_REPORTER_END(usable);
  titles_size += usable;
  return p;
}

static void titles_free(void *p) {
#ifdef FIXED
  titles_size -= titles_on_free(p);
#else
  (void)titles_on_free;
#endif
  free(p); /* @free */
}

int main(void) {
  void *last = NULL;
  for (int i = 0; i < 51; i++) {
    titles_free(last);          /* @caller */
    last = titles_malloc(1000); /* @alloc */
  }
  struct dmd_memory_report report = {
      NULL, "explicit/titles", DMD_KIND_HEAP, DMD_UNITS_BYTES, (long long)titles_size, "Titles."};
  DMD_MEMORY_REPORT(&report); /* @publish */
  DMD_DUMP("one title");
  return 0;
}
