/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that is ended twice: where it found nothing, and after that once more.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: scope-underflow
 *   num: 1
 *   at: jar_measure @again
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct jar {
  int *cookies, *labels;
};

DMD_MALLOC_SIZE_OF_FN(jar_size_of)

static void jar_measure(const struct jar *jar) {
  DMD_REPORTER_BEGIN("explicit/jar");
  size_t size = jar_size_of(jar->cookies);
  if (jar->labels != NULL)
    size += jar_size_of(jar->labels);
#ifndef FIXED
  else
    DMD_REPORTER_END(size);
#endif
  DMD_REPORTER_END(size); /* @again */
}

int main(void) {
  struct jar jar = {malloc(400), NULL};
  jar_measure(&jar);
  DMD_DUMP("a jar without labels");
  return 0;
}
