/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that calls for the dump itself, before it ends.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: scope-left-open
 *   num: 1
 *   scope: explicit/jar
 *   reason: still-running
 *   at: jar_measure @begin < main
 *   text: Likely reason: the function that began it is still running: the dump came before the end
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(jar_size_of)

static void dump(void) {
  DMD_DUMP("a jar");
}

static size_t jar_measure(int *jar) {
  DMD_REPORTER_BEGIN("explicit/jar"); /* @begin */
  size_t size = jar_size_of(jar);
#ifndef FIXED
  dump();
#endif
  DMD_REPORTER_END(size);
#ifdef FIXED
  dump();
#endif
  return size;
}

int main(void) {
  int *jar = malloc(400);
  jar_measure(jar);
  return 0;
}
