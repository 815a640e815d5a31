/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A report outside of any reporter, in a program all of whose reporters have names.
 *
 * Mozilla's DMD: nothing
 * Options: --require-scope=yes
 *
 * Expect: report-unscoped
 *   num: 1
 *   size: 504
 *   text: Report outside of any reporter {
 *   bytes: 504
 *   at: jar_size_of @fn < jar_measure @report
 *   allocatedAt: main @alloc
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct jar {
  int *cookies, *labels;
};

DMD_MALLOC_SIZE_OF_FN(jar_size_of) /* @fn */

static void jar_measure(const struct jar *jar) {
  DMD_REPORTER_BEGIN("explicit/jar");
  size_t size = jar_size_of(jar->cookies);
#ifdef FIXED
  size += jar_size_of(jar->labels);
#endif
  DMD_REPORTER_END(size);
#ifndef FIXED
  jar_size_of(jar->labels); /* @report */
#endif
}

int main(void) {
  struct jar jar = {malloc(400), NULL};
  jar.labels = malloc(500); /* @alloc */
  jar_measure(&jar);
  DMD_DUMP("a jar");
  return 0;
}
