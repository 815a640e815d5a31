/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter measures a global variable, gets nothing for it, and adds its sizeof instead.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/cache
 *   claimed: 2424
 *   measured: 408
 *   bytes: 2016
 *   reason: not-a-block
 *   text: 2,424 bytes claimed, 408 bytes measured: 2,016 bytes too many
 *   text: Likely reason: the claim contains the size of an object that is not a heap block: the
 *       global variable g_cache
 *   memory: the global variable g_cache
 *   at: cache_measure @end
 * Expect: report-global
 *   num: 1
 *   reporter: explicit/cache
 *   memory: the global variable g_cache
 *   at: cache_size_of @fn < cache_measure @report
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

static struct {
  int *newest;
  char names[2008];
} g_cache;

DMD_MALLOC_SIZE_OF_FN(cache_size_of) /* @fn */

static void cache_measure(void) {
  DMD_REPORTER_BEGIN("explicit/cache");
  size_t size = cache_size_of(g_cache.newest);
#ifndef FIXED
  size_t own = cache_size_of(&g_cache); /* @report */
  size += own != 0 ? own : sizeof g_cache;
#endif
  DMD_REPORTER_END(size); /* @end */
}

int main(void) {
  g_cache.newest = malloc(400);
  cache_measure();
  DMD_DUMP("a cache");
  return 0;
}
