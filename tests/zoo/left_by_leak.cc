// SPDX-License-Identifier: GPL-2.0-or-later
//
// A scope guard that is made with new and never deleted does not end its reporter.
//
// Mozilla's DMD: nothing
//
// Expect: scope-left-open
//   num: 1
//   scope: explicit/jar
//   at: dmd::ReporterScope::ReporterScope(char const*) < jar_measure(int*) @begin < main
#include <cstddef>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(jar_size_of)

static size_t jar_measure(int *jar) {
#ifdef FIXED
  dmd::ReporterScope reporter("explicit/jar");
  return reporter.claim(jar_size_of(jar));
#else
  static dmd::ReporterScope *reporter;
  reporter = new dmd::ReporterScope("explicit/jar"); // @begin
  return reporter->claim(jar_size_of(jar) + jar_size_of(reporter));
#endif
}

int main() {
  int *jar = new int[100];
  jar_measure(jar);
  DMD_DUMP("a jar");
  return 0;
}
