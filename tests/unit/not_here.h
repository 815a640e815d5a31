/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * not_here.h: the whole of a test program about walks by unwind information, where the processor is
 * another one than those that have it here: there all walks are by frame pointers, and which code
 * has them is not known.
 */
#ifndef TESTS_UNIT_NOT_HERE_H
#define TESTS_UNIT_NOT_HERE_H

#include "host.h"

static void not_here(void **state) {
  (void)state;
  skip();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(not_here)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
