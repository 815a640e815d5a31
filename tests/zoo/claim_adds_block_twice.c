/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A sum to which one measured block is added twice.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/jar
 *   claimed: 1936
 *   measured: 1432
 *   bytes: 504
 *   reason: reports-twice
 *   text: 1,936 bytes claimed, 1,432 bytes measured: 504 bytes too many
 *   text: Likely reason: the claim counts twice what was reported at the place below
 *   at: jar_measure @end
 *   reportedAt: jar_size_of @fn < jar_measure @labels
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct jar {
  int *cookies, *labels, *lids;
};

DMD_MALLOC_SIZE_OF_FN(jar_size_of) /* @fn */

static void jar_measure(const struct jar *jar) {
  DMD_REPORTER_BEGIN("explicit/jar");
  size_t labels = jar_size_of(jar->labels); /* @labels */
  size_t size = labels;
  size += jar_size_of(jar->cookies);
  size += jar_size_of(jar->lids);
#ifndef FIXED
  size += labels;
#endif
  DMD_REPORTER_END(size); /* @end */
}

int main(void) {
  struct jar jar = {malloc(400), malloc(500), malloc(520)};
  jar_measure(&jar);
  DMD_DUMP("a jar");
  return 0;
}
