/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter returns an error code, -1, as if it were a size: a claim of nearly 2^64 bytes.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/jar
 *   claimed: 18446744073709551615
 *   measured: 408
 *   bytes: 18446744073709551207
 *   reason: negative
 *   text: a negative number was claimed as a size: an error code, or a subtraction that went
 *       too far: -1
 *   at: jar_measure @end
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct jar {
  int *cookies;
};

DMD_MALLOC_SIZE_OF_FN(jar_size_of)

static long jar_sum(const struct jar *jar) {
  size_t size = jar_size_of(jar->cookies);
#ifdef FIXED
  return (long)size;
#else
  return size > 400 ? -1 : (long)size;
#endif
}

static void jar_measure(const struct jar *jar) {
  DMD_REPORTER_BEGIN("explicit/jar");
  long size = jar_sum(jar);
  DMD_REPORTER_END((size_t)size); /* @end */
}

int main(void) {
  struct jar jar = {malloc(400)};
  jar_measure(&jar);
  DMD_DUMP("a jar");
  return 0;
}
