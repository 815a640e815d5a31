/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter counts a block that its objects share once for each object.
 *
 * Mozilla's DMD: twice-reported
 *
 * Expect: report-shared-again
 *   num: 99
 *   size: 504
 *   bytes: 49896
 *   text: Shared block counted again by one of its owners {
 *   text: 99 times, 49,896 bytes; the worst time:
 *   reporter: explicit/tabs
 *   at: tab_size_of @shared < tabs_measure @tab
 *   allocatedAt: main @alloc
 *   otherReporter: explicit/tabs
 *   reportedAt: tab_size_of @shared < tabs_measure @tab
 */
#include <stddef.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

enum { TABS = 100 };

struct tab {
  struct icon *icon;
};

static size_t tab_size_of(const struct tab *tab) {
  return DMD_REPORT_SHARED(tab->icon); /* @shared */
}

static void tabs_measure(const struct tab *tabs) {
  DMD_REPORTER_BEGIN("explicit/tabs");
  size_t size = DMD_REPORT(tabs);
#ifdef FIXED
  const struct icon *last = NULL;
#endif
  for (int i = 0; i < TABS; i++) {
#ifdef FIXED
    if (tabs[i].icon == last)
      continue;
    last = tabs[i].icon;
#endif
    size += tab_size_of(&tabs[i]); /* @tab */
  }
  DMD_REPORTER_END(size);
}

static void window_measure(const struct icon *icon) {
  DMD_REPORTER_BEGIN("explicit/window");
  DMD_REPORTER_END(DMD_REPORT_SHARED(icon));
}

int main(void) {
  struct tab *tabs = malloc(TABS * sizeof *tabs);
  struct icon *icon = malloc(500); /* @alloc */
  for (int i = 0; i < TABS; i++)
    tabs[i].icon = icon;
  tabs_measure(tabs);
  window_measure(icon);
  DMD_DUMP("an icon of a hundred tabs");
  return 0;
}
