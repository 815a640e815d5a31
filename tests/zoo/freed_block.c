/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter measures through a pointer that outlived its block.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: report-freed
 *   num: 1
 *   bytes: 408
 *   size: 408
 *   text: a block of 408 bytes
 *   reporter: explicit/cache
 *   at: cache_size_of @fn < cache_measure @report
 *   allocatedAt: cache_fill @alloc
 *   freedAt: cache_flush @free
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct cache {
  int *newest;
};

DMD_MALLOC_SIZE_OF_FN(cache_size_of) /* @fn */

static void cache_fill(struct cache *cache) {
  cache->newest = malloc(400); /* @alloc */
}

static void cache_flush(struct cache *cache) {
  free(cache->newest); /* @free */
#ifdef FIXED
  cache->newest = NULL;
#endif
}

static void cache_measure(const struct cache *cache) {
  DMD_REPORTER_BEGIN("explicit/cache");
  size_t size = cache_size_of(cache);
  size += cache_size_of(cache->newest); /* @report */
  DMD_REPORTER_END(size);
}

int main(void) {
  struct cache *cache = malloc(sizeof *cache);
  cache_fill(cache);
  cache_measure(cache);
  DMD_CLEAR_REPORTS();
  cache_flush(cache);
  cache_measure(cache);
  DMD_DUMP("a cache that was flushed");
  return 0;
}
