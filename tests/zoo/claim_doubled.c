/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter returns everything twice: its parts were added up where they were measured, and again
 * at the end.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/jar
 *   claimed: 1824
 *   measured: 912
 *   bytes: 912
 *   reason: twice
 *   text: 1,824 bytes claimed, 912 bytes measured: 912 bytes too many
 *   text: Likely reason: the claim is twice what was measured
 *   at: jar_measure @end
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct sizes {
  size_t cookies, labels, total;
};

struct jar {
  int *cookies, *labels;
};

DMD_MALLOC_SIZE_OF_FN(jar_size_of)

static void jar_measure(const struct jar *jar) {
  DMD_REPORTER_BEGIN("explicit/jar");
  struct sizes sizes = {0, 0, 0};
  sizes.total += sizes.cookies = jar_size_of(jar->cookies);
  sizes.total += sizes.labels = jar_size_of(jar->labels);
#ifndef FIXED
  sizes.total += sizes.cookies + sizes.labels;
#endif
  DMD_REPORTER_END(sizes.total); /* @end */
}

int main(void) {
  struct jar jar = {malloc(400), malloc(500)};
  jar_measure(&jar);
  DMD_DUMP("a jar");
  return 0;
}
