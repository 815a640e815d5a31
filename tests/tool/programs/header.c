/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Everything in dmd.h, in the oldest C that it supports.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(measure)
DMD_MALLOC_SIZE_OF_ON_ALLOC_FN(count)
DMD_MALLOC_SIZE_OF_ON_FREE_FN(discount)

int main(void) {
  void *p = malloc(100);
  size_t n = 0;
  int evaluated = 0;
  DMD_TAG_PUSH("tag");
  DMD_REPORTER_BEGIN("reporter");
  n += measure(p) + count(p) + discount(p);
  n += DMD_REPORT((evaluated++, p)) + DMD_REPORT_ON_ALLOC(p) + DMD_UNREPORT(p);
  DMD_REPORTER_END(n);
  DMD_TAG_POP();
  DMD_CLEAR_REPORTS();
  VALGRIND_DMD_REPORT((evaluated++, p), 100, "name");
  VALGRIND_DMD_UNREPORT((evaluated++, p));
  if (RUNNING_ON_DMD)
    DMD_DUMP("label");
  VALGRIND_DMD_CHECK_REPORTING;
  free(p);
  return n == 6 * 104 && evaluated == 3 ? 0 : 1;
}
