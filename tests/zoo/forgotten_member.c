/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A member that its reporter forgot.
 *
 * Mozilla's DMD: unreported
 *
 * Expect: unreported
 *   blocks: 1
 *   bytes: 1000
 *   allocatedAt: jar_new @labels
 *   proposal: size += jar_size_of(jar->labels); in jar_measure
 *   holder: explicit/jar
 *   text: 100% held at +0x8 of blocks reported by explicit/jar
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct jar {
  int *cookies, *labels;
};

DMD_MALLOC_SIZE_OF_FN(jar_size_of)

static struct jar *jar_new(void) {
  struct jar *jar = malloc(sizeof *jar);
  jar->cookies = malloc(400);
  jar->labels = malloc(1000); /* @labels */
  return jar;
}

static void jar_measure(const struct jar *jar) {
  DMD_REPORTER_BEGIN("explicit/jar");
  size_t size = jar_size_of(jar) + jar_size_of(jar->cookies);
#ifdef FIXED
  size += jar_size_of(jar->labels);
#endif
  DMD_REPORTER_END(size);
}

int main(void) {
  struct jar *jar = jar_new();
  jar_measure(jar);
  DMD_DUMP("a jar");
  return 0;
}
