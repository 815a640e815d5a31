/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An allocator that counts, and whose realloc adds the new size without subtracting the old one. A
 * table grows to four times its size.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: freed-counted
 *   num: 2
 *   reporter: explicit/table
 *   claimed: 7016
 *   measured: 4008
 *   bytes: 3008
 *   at: main @publish
 *   allocatedAt: table_realloc @realloc
 *   freedAt: table_realloc @realloc
 *   reportedAt: table_on_alloc < table_realloc @report
 *   text: 2 blocks, 3,008 bytes
 *   text: 7,016 bytes published, 4,008 bytes measured: 3,008 bytes too many
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_ON_ALLOC_FN(table_on_alloc)
DMD_MALLOC_SIZE_OF_ON_FREE_FN(table_on_free)

static size_t table_size;

static void *table_realloc(void *p, size_t size) {
#ifdef FIXED
  table_size -= table_on_free(p);
#else
  (void)table_on_free;
#endif
  void *moved = realloc(p, size); /* @realloc */
  DMD_REPORTER_BEGIN("explicit/table");
  size_t usable = table_on_alloc(moved); /* @report */
  DMD_REPORTER_END(usable);
  table_size += usable;
  return moved;
}

int main(void) {
  void *table = NULL;
  for (size_t size = 1000; size <= 4000; size *= 2)
    table = table_realloc(table, size);
  struct dmd_memory_report report = {
      NULL, "explicit/table", DMD_KIND_HEAP, DMD_UNITS_BYTES, (long long)table_size, "A table."};
  DMD_MEMORY_REPORT(&report); /* @publish */
  DMD_DUMP("a table");
  return table == NULL;
}
