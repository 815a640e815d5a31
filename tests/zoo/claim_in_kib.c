/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that claims KiB.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/table
 *   claimed: 97
 *   measured: 100000
 *   bytes: 99903
 *   reason: in-kib
 *   at: table_measure @end
 *   text: Likely reason: the claim is in units of 1,024 bytes
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(table_size_of)

static void table_measure(void *rows, void *columns) {
  DMD_REPORTER_BEGIN("explicit/table");
  size_t size = table_size_of(rows) + table_size_of(columns);
#ifndef FIXED
  size /= 1024;
#endif
  DMD_REPORTER_END(size); /* @end */
}

int main(void) {
  void *rows = malloc(49992), *columns = malloc(50008);
  table_measure(rows, columns);
  DMD_DUMP("a table");
  return 0;
}
