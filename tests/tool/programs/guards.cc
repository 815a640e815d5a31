// SPDX-License-Identifier: GPL-2.0-or-later
//
// The scope guards of dmd.h, left in order, early and by an exception.
#include <cstdlib>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(measure)

static void *volatile keep[8];

static void inside() {
  dmd::TagScope outer("outer");
  keep[0] = malloc(100);
  {
    dmd::TagScope inner("inner");
    keep[1] = malloc(100);
  }
  keep[2] = malloc(100);
}

static void thrown() {
  dmd::TagScope tag("thrown");
  dmd::ReporterScope reporter("explicit/thrown");
  throw 1;
}

static std::size_t measured() {
  dmd::ReporterScope reporter("explicit/measured");
  return reporter.claim(measure(keep[0]) + measure(keep[1]));
}

static void after() {
  keep[3] = malloc(100);
  measure(keep[3]);
}

int main() {
  inside();
  try {
    thrown();
  } catch (int) {
  }
  bool good = measured() == 208;
  after();
  return good && DMD_TAG_POP() == 0 && DMD_REPORTER_END(0) == 0 ? 0 : 1;
}
