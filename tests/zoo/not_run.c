/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that is not called the second time.
 *
 * Mozilla's DMD: the fonts are unreported
 *
 * Expect: unreported
 *   blocks: 1
 *   bytes: 3000
 *   holder: explicit/fonts
 *   allocatedAt: main @fonts
 *   text: 100% allocated where blocks were reported by explicit/fonts the last time (3,000 bytes);
 *       it has not run since
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(fonts_size_of)
DMD_MALLOC_SIZE_OF_FN(pages_size_of)

static void fonts_measure(void *fonts) {
  DMD_REPORTER_BEGIN("explicit/fonts");
  DMD_REPORTER_END(fonts_size_of(fonts));
}

static void pages_measure(void *pages) {
  DMD_REPORTER_BEGIN("explicit/pages");
  DMD_REPORTER_END(pages_size_of(pages));
}

int main(void) {
  void *fonts = malloc(3000); /* @fonts */
  void *pages = malloc(1000);
  for (int time = 0; time < 2; time++) {
    DMD_CLEAR_REPORTS();
#ifndef FIXED
    if (time == 0)
#endif
      fonts_measure(fonts);
    pages_measure(pages);
  }
  DMD_DUMP("fonts and pages");
  return 0;
}
