/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two owners rightly share a block by a reference count, and both report it, without saying that it
 * is shared.
 *
 * Mozilla's DMD: twice-reported
 *
 * Expect: twice-reported
 *   blocks: 1
 *   bytes: 1000
 *   allocatedAt: text_new @alloc
 *   reporter: explicit/page
 *   reportedAt: text_size_of @fn < page_measure @page
 *   otherReporter: explicit/history
 *   reportedAgainAt: text_size_of @fn < history_measure @history
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct text {
  int references;
  char letters[996];
};

static size_t text_size_of(const struct text *text) {
#ifdef FIXED
  return DMD_REPORT_SHARED(text);
#else
  return DMD_REPORT(text); /* @fn */
#endif
}

static struct text *text_new(void) {
  struct text *text = malloc(sizeof *text); /* @alloc */
  text->references = 1;
  return text;
}

static struct text *text_share(struct text *text) {
  text->references++;
  return text;
}

static void page_measure(const struct text *title) {
  DMD_REPORTER_BEGIN("explicit/page");
  size_t size = text_size_of(title); /* @page */
  DMD_REPORTER_END(size);
}

static void history_measure(const struct text *entry) {
  DMD_REPORTER_BEGIN("explicit/history");
  size_t size = text_size_of(entry); /* @history */
  DMD_REPORTER_END(size);
}

int main(void) {
  struct text *title = text_new(), *entry = text_share(title);
  page_measure(title);
  history_measure(entry);
  DMD_DUMP("a title in the history");
  return 0;
}
