// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory reports in C++, from C++98 on: by value and by pointer.
#include <cstddef>
#include <valgrind/dmd.h>

static int publish(std::size_t n) {
  int wrong = 0;
  dmd_memory_report named = {NULL, "explicit/pointer", DMD_KIND_HEAP, DMD_UNITS_BYTES, 7, "Seven."};
  const std::size_t is_running = RUNNING_ON_DMD ? 1 : 0;
  wrong += DMD_MEMORY_REPORT(&named) != is_running;
  named.path = "explicit/object";
  wrong += DMD_MEMORY_REPORT(named) != is_running * 2;
  wrong += DMD_MEMORY_REPORT(dmd::memory_report("explicit/value", DMD_KIND_NONHEAP, DMD_UNITS_BYTES,
                                                n, "A few.")) != is_running * 3;
  wrong += DMD_MEMORY_REPORT(dmd::memory_report("hits", DMD_KIND_OTHER, DMD_UNITS_COUNT, 3, 0,
                                                "child")) != is_running * 4;
#if __cplusplus >= 201103L
  wrong += DMD_MEMORY_REPORT(dmd_memory_report{nullptr, "braces", DMD_KIND_OTHER, DMD_UNITS_COUNT,
                                               5, nullptr}) != is_running * 5;
#endif
  return wrong;
}

// An argument is evaluated once; this one is invalid.
static int evaluated;

static const dmd_memory_report *nothing() {
  evaluated++;
  return NULL;
}

int main() {
  int wrong = publish(42);
  DMD_MEMORY_REPORT(nothing());
  DMD_DUMP("published");
  return wrong + (evaluated != 1);
}
