// SPDX-License-Identifier: GPL-2.0-or-later
//
// A scope guard that lives until the end of the function, after the dump that the function calls
// for.
//
// Mozilla's DMD: nothing
//
// Expect: scope-left-open
//   num: 1
//   scope: explicit/jar
//   reason: still-running
//   at: dmd::ReporterScope::ReporterScope(char const*) < main @begin
//   text: Likely reason: the function that began it is still running: the dump came before the end
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(jar_size_of)

int main() {
  int *jar = new int[100];
#ifdef FIXED
  {
    dmd::ReporterScope reporter("explicit/jar");
    reporter.claim(jar_size_of(jar));
  }
#else
  dmd::ReporterScope reporter("explicit/jar"); // @begin
  reporter.claim(jar_size_of(jar));
#endif
  DMD_DUMP("a jar");
  return 0;
}
