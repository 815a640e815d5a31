/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that asks malloc_usable_size itself for one of its blocks, instead of reporting it.
 *
 * Mozilla's DMD: the labels are unreported
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/jar
 *   claimed: 688
 *   measured: 392
 *   bytes: 296
 *   reason: usable-size
 *   at: jar_measure @end
 *   text: Likely reason: the claim contains what malloc_usable_size answered: report these blocks
 *
 * Expect: unreported
 *   blocks: 1
 *   bytes: 296
 *   allocatedAt: main @labels
 */
#include <malloc.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

struct jar {
  int *cookies, *labels;
};

DMD_MALLOC_SIZE_OF_FN(jar_size_of)

static size_t jar_measure(const struct jar *jar) {
  DMD_REPORTER_BEGIN("explicit/jar");
  size_t size = jar_size_of(jar->cookies);
#ifdef FIXED
  size += jar_size_of(jar->labels);
#else
  size += malloc_usable_size(jar->labels);
#endif
  DMD_REPORTER_END(size); /* @end */
  return size;
}

int main(void) {
  struct jar jar;
  jar.cookies = malloc(392);
  jar.labels = malloc(296); /* @labels */
  jar_measure(&jar);
  DMD_DUMP("a jar");
  return 0;
}
