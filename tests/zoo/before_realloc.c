/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A table that grows after it was measured, and before the dump.
 *
 * Mozilla's DMD: the table is unreported
 *
 * Expect: unreported
 *   blocks: 1
 *   bytes: 9000
 *   holder: explicit/table
 *   allocatedAt: table_grow @realloc < main
 *   text: 100% reallocated where blocks were that had been reported by explicit/table: a realloc
 *       ends reports
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(table_size_of)

static void *table_grow(void *table, size_t size) {
  return realloc(table, size); /* @realloc */
}

static void table_measure(void *table) {
  DMD_REPORTER_BEGIN("explicit/table");
  DMD_REPORTER_END(table_size_of(table));
}

int main(void) {
  void *table = malloc(3000);
#ifndef FIXED
  table_measure(table);
#endif
  table = table_grow(table, 9000);
#ifdef FIXED
  table_measure(table);
#endif
  DMD_DUMP("a table");
  return table == NULL;
}
