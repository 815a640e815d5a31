/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A pointer to a block that was freed too long ago for dmd to remember it.
 *
 * Mozilla's DMD: nothing
 * Options: --freed-blocks=10
 *
 * Expect: report-no-block
 *   num: 1
 *   text: Report of something that is not a live block {
 *   reporter: explicit/cache
 *   at: cache_size_of @fn < cache_measure @report
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct cache {
  int *newest;
};

DMD_MALLOC_SIZE_OF_FN(cache_size_of) /* @fn */

static void cache_flush(struct cache *cache) {
  free(cache->newest);
#ifdef FIXED
  cache->newest = NULL;
#endif
}

/* Larger than what is freed later, so that nothing else gets the place. */
static void others_at_work(void) {
  char *blocks[20];
  for (int i = 0; i < 20; i++)
    blocks[i] = malloc(64);
  for (int i = 0; i < 20; i++)
    free(blocks[i]);
}

static void cache_measure(const struct cache *cache) {
  DMD_REPORTER_BEGIN("explicit/cache");
  size_t size = cache_size_of(cache);
  size += cache_size_of(cache->newest); /* @report */
  DMD_REPORTER_END(size);
}

int main(void) {
  struct cache *cache = malloc(sizeof *cache);
  cache->newest = malloc(400);
  cache_flush(cache);
  others_at_work();
  cache_measure(cache);
  DMD_DUMP("a cache that was flushed long ago");
  return 0;
}
