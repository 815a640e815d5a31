/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that measures its blocks the first time only: it skips what has not changed.
 *
 * Mozilla's DMD: the pages are unreported
 *
 * Expect: unreported
 *   blocks: 4
 *   bytes: 4000
 *   holder: explicit/pages
 *   allocatedAt: main @pages
 *   text: 100% allocated where blocks were reported by explicit/pages the last time (4,000 bytes);
 *       it ran, and measured nothing
 */
#include <stdbool.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

enum { N_PAGES = 4 };

static struct page {
  bool is_changed;
  char *text;
} pages[N_PAGES];

DMD_MALLOC_SIZE_OF_FN(pages_size_of)

static void pages_measure(void) {
  DMD_REPORTER_BEGIN("explicit/pages");
  size_t size = 0;
  for (int i = 0; i < N_PAGES; i++) {
#ifndef FIXED
    if (!pages[i].is_changed)
      continue;
    pages[i].is_changed = false;
#endif
    size += pages_size_of(pages[i].text);
  }
  DMD_REPORTER_END(size);
}

int main(void) {
  for (int i = 0; i < N_PAGES; i++)
    pages[i] = (struct page){true, malloc(1000)}; /* @pages */
  pages_measure();
  DMD_CLEAR_REPORTS();
  pages_measure();
  DMD_DUMP("pages");
  return 0;
}
