/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dumps inside a signal handler, which interrupts reports in a scope.
 */
#include <signal.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

static void *volatile keep[2];
static volatile size_t number;

static void handler(int signal) {
  (void)signal;
  number = DMD_DUMP("in the handler");
}

int main(void) {
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, NULL);
  keep[0] = malloc(100);
  keep[1] = malloc(200);
  DMD_REPORTER_BEGIN("explicit/all");
  DMD_REPORT(keep[0]);
  raise(SIGUSR1);
  DMD_REPORT(keep[1]);
  DMD_REPORTER_END(304);
  if (number != 1 || DMD_DUMP("after it") != 2)
    return 1;
  return 0;
}
