/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A structure that nobody wrote a reporter for: all reporters run, and none of them measures it
 *
 * Mozilla's DMD: the log is unreported
 *
 * Expect: unreported
 *   blocks: 1
 *   bytes: 5000
 *   allocatedAt: main @log
 *   text: # All 2 reporters ran since the last clear, 1 to 3 times each: none
 *       of them measured these blocks
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(measure)

static void *windows[3], *fonts, *volatile server_log;

static void window_measure(const void *window) {
  DMD_REPORTER_BEGIN("explicit/windows");
  DMD_REPORTER_END(measure(window));
}

static void fonts_measure(void) {
  DMD_REPORTER_BEGIN("explicit/fonts");
  DMD_REPORTER_END(measure(fonts));
}

#ifdef FIXED
static void log_measure(void) {
  DMD_REPORTER_BEGIN("explicit/log");
  DMD_REPORTER_END(measure(server_log));
}
#endif

int main(void) {
  for (int i = 0; i < 3; i++)
    windows[i] = malloc(1000);
  fonts = malloc(3000);
  server_log = malloc(5000); /* @log */
  for (int i = 0; i < 3; i++)
    window_measure(windows[i]);
  fonts_measure();
#ifdef FIXED
  log_measure();
#endif
  DMD_DUMP("windows, fonts and the log");
  return 0;
}
