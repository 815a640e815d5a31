/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * not_here.h: the whole of a test program about stack walks by unwind information, on processors
 * for which there are no such walks. All walks are by frame pointers there, and which code keeps
 * frame pointers is unknown.
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
