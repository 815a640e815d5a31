// SPDX-License-Identifier: GPL-2.0-or-later
//
// A reporter that an exception leaves, so that it is never ended. The twin has a scope
// guard.
//
// Mozilla's DMD: nothing
//
// Expect: scope-left-open
//   num: 1
//   scope: explicit/kitchen/jar
//   at: jar_measure(Jar const&) @begin
#include <cstddef>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(jar_size_of)

struct Jar {
  int *cookies;
};

struct BrokenJar {};

static void jar_check(const Jar &jar) {
  if (jar.cookies == NULL)
    throw BrokenJar();
}

static size_t jar_measure(const Jar &jar) {
#ifdef FIXED
  dmd::ReporterScope reporter("explicit/kitchen/jar");
  jar_check(jar);
  return reporter.claim(jar_size_of(jar.cookies));
#else
  DMD_REPORTER_BEGIN("explicit/kitchen/jar"); // @begin
  jar_check(jar);
  size_t size = jar_size_of(jar.cookies);
  DMD_REPORTER_END(size);
  return size;
#endif
}

static size_t jar_measure_if_whole(const Jar &jar) {
  try {
    return jar_measure(jar);
  } catch (const BrokenJar &) {
    return 0;
  }
}

static void kitchen_measure(const Jar *jars, int n) {
  DMD_REPORTER_BEGIN("explicit/kitchen");
  size_t size = 0;
  for (int i = 0; i < n; i++)
    size += jar_measure_if_whole(jars[i]);
  DMD_REPORTER_END(size);
}

int main() {
  Jar jars[] = {{new int[100]}, {NULL}, {new int[125]}};
  kitchen_measure(jars, 3);
  DMD_DUMP("three jars");
  return 0;
}
