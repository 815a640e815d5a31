/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that longjmp leaves, so that it is never ended.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: scope-left-open
 *   num: 1
 *   text: Scope that was never ended {
 *   scope: explicit/kitchen/jar
 *   at: jar_measure @begin
 */
#include <setjmp.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

struct jar {
  int *cookies;
};

DMD_MALLOC_SIZE_OF_FN(jar_size_of)

static jmp_buf g_broken_jar;

static void jar_check(const struct jar *jar) {
  if (jar->cookies == NULL)
    longjmp(g_broken_jar, 1);
}

static size_t jar_measure(const struct jar *jar) {
#ifdef FIXED
  jar_check(jar);
#endif
  DMD_REPORTER_BEGIN("explicit/kitchen/jar"); /* @begin */
#ifndef FIXED
  jar_check(jar);
#endif
  size_t size = jar_size_of(jar->cookies);
  DMD_REPORTER_END(size);
  return size;
}

static size_t jar_measure_if_whole(const struct jar *jar) {
  return setjmp(g_broken_jar) == 0 ? jar_measure(jar) : 0;
}

static void kitchen_measure(const struct jar *jars, int n) {
  DMD_REPORTER_BEGIN("explicit/kitchen");
  size_t size = 0;
  for (int i = 0; i < n; i++)
    size += jar_measure_if_whole(&jars[i]);
  DMD_REPORTER_END(size);
}

int main(void) {
  struct jar jars[] = {{malloc(400)}, {NULL}, {malloc(500)}};
  kitchen_measure(jars, 3);
  DMD_DUMP("three jars");
  return 0;
}
