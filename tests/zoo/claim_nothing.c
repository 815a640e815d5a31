/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that measures every block rightly, and then returns 0.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/jar
 *   claimed: 0
 *   measured: 432
 *   bytes: 432
 *   reason: claimed-nothing
 *   text: 0 bytes claimed, 432 bytes measured: 432 bytes too few
 *   text: Likely reason: the blocks were measured, and then nothing was claimed
 *   at: jar_measure @end
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct jar {
  int *cookies;
};

DMD_MALLOC_SIZE_OF_FN(jar_size_of)

static size_t jar_measure(const struct jar *jar) {
  DMD_REPORTER_BEGIN("explicit/jar");
  size_t size = 0;
#ifdef FIXED
  size += jar_size_of(jar);
  size += jar_size_of(jar->cookies);
#else
  jar_size_of(jar);
  jar_size_of(jar->cookies);
#endif
  DMD_REPORTER_END(size); /* @end */
  return size;
}

int main(void) {
  struct jar *jar = malloc(sizeof *jar);
  jar->cookies = malloc(400);
  jar_measure(jar);
  DMD_DUMP("a jar");
  return 0;
}
