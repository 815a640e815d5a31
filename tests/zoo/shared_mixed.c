/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One of a block's two owners says that it is shared, the other reports it as its own.
 *
 * Mozilla's DMD: twice-reported
 *
 * Expect: report-mixed
 *   num: 1
 *   size: 1000
 *   text: Shared and plain reports of one block {
 *   bytes: 1000
 *   reporter: explicit/history
 *   at: history_size_of @plain < history_measure @history
 *   allocatedAt: main @alloc
 *   otherReporter: explicit/page
 *   reportedAt: page_size_of @shared < page_measure @page
 * Expect: twice-reported
 *   blocks: 1
 *   bytes: 1000
 *   allocatedAt: main @alloc
 *   reporter: explicit/page
 *   reportedAt: page_size_of @shared < page_measure @page
 *   otherReporter: explicit/history
 *   reportedAgainAt: history_size_of @plain < history_measure @history
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct text {
  int references;
  char letters[996];
};

static size_t page_size_of(const struct text *text) {
  return DMD_REPORT_SHARED(text); /* @shared */
}

static size_t history_size_of(const struct text *text) {
#ifdef FIXED
  return DMD_REPORT_SHARED(text);
#else
  return DMD_REPORT(text); /* @plain */
#endif
}

static void page_measure(const struct text *title) {
  DMD_REPORTER_BEGIN("explicit/page");
  size_t size = page_size_of(title); /* @page */
  DMD_REPORTER_END(size);
}

static void history_measure(const struct text *entry) {
  DMD_REPORTER_BEGIN("explicit/history");
  size_t size = history_size_of(entry); /* @history */
  DMD_REPORTER_END(size);
}

int main(void) {
  struct text *text = malloc(sizeof *text); /* @alloc */
  text->references = 2;
  page_measure(text);
  history_measure(text);
  DMD_DUMP("a title in the history");
  return 0;
}
