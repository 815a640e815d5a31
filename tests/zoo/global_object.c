/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A global variable is measured as if it had come from malloc.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: report-global
 *   num: 1
 *   memory: the global variable g_cache
 *   reporter: explicit/cache
 *   at: cache_size_of @fn < cache_measure @report
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

static struct { int *newest, *oldest; } g_cache;

DMD_MALLOC_SIZE_OF_FN(cache_size_of) /* @fn */

static void cache_measure(void) {
  DMD_REPORTER_BEGIN("explicit/cache");
  size_t size = cache_size_of(g_cache.newest) + cache_size_of(g_cache.oldest);
#ifndef FIXED
  size += cache_size_of(&g_cache); /* @report */
#endif
  DMD_REPORTER_END(size);
}

int main(void) {
  g_cache.newest = malloc(400);
  g_cache.oldest = malloc(400);
  cache_measure();
  DMD_DUMP("a cache");
  return 0;
}
