/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "host.h"

#include <stdio.h>
#include <unistd.h>

#include "dmdv/input/input.h"
#include "host/progress.h"

enum { MB = 1024 * 1024 };

static void assert_line_of(const dmdv_read_t *read, const char *expected) {
  char text[DMDV_PROGRESS_MAX];
  dmdv_progress_text(text, read);
  assert_string_equal(text, expected);
}

static void assert_line(uint64_t bytes, uint64_t at, uint64_t total, const char *expected) {
  assert_line_of(&(dmdv_read_t){.bytes = bytes, .at = at, .total = total}, expected);
}

static void the_line(void **state) {
  (void)state;
  assert_line(12 * MB, 12 * MB, 0, "12 MB read");
  assert_line(500 * MB, 30 * MB, 120 * MB, "25% of 120 MB read"); /* of the gzipped file */
  assert_line(0, 0, 120 * MB, "0% of 120 MB read");
  assert_line(120 * MB, 120 * MB, 120 * MB, "100% of 120 MB read");
  assert_line(130 * MB, 130 * MB, 120 * MB, "100% of 120 MB read");
  assert_line(UINT64_MAX, UINT64_MAX, UINT64_MAX, "100% of 17592186044416 MB read");
  dmdv_read_t read = {.bytes = 6 * MB, .at = 2 * MB, .total = 4 * MB, .verb = "counted"};
  assert_line_of(&read, "50% of 4 MB counted");
}

static void assert_work(const char *what, uint64_t done, uint64_t total, const char *expected) {
  char text[DMDV_PROGRESS_MAX];
  dmdv_work_text(text, &(dmdv_work_t){.what = what, .done = done, .total = total});
  assert_string_equal(text, expected);
}

static void the_line_of_work(void **state) {
  (void)state;
  assert_work("dominators", 0, 200, "dominators: 0%");
  assert_work("dominators", 69, 200, "dominators: 34%");
  assert_work("dominators", 300, 200, "dominators: 100%");
  assert_work("paths", UINT64_MAX, UINT64_MAX, "paths: 100%");
  assert_work("nothing", 0, 0, "nothing: 0%");
  assert_work("a name that is longer than any line of work should ever be", 1, 2,
              "a name that is longer than any line of w: 50%");
}

/* More than one piece, so that there is a place amid the file. */
static void how_far_a_file_is(void **state) {
  (void)state;
  enum { SZB = 200000 };
  char name[] = "/tmp/dmd-progress-XXXXXX";
  int fd = mkstemp(name);
  assert_true(fd >= 0);
  static char content[SZB];
  memset(content, ' ', SZB);
  assert_int_equal(write(fd, content, SZB), SZB);
  close(fd);
  dmd_fail_t fail;
  dmdv_input_t *input = dmdv_input_open(name, &fail);
  assert_non_null(input);
  uint64_t read = 0;
  const char *bytes;
  size_t n;
  do {
    assert_true(dmdv_input_next(input, &bytes, &n, &fail));
    read += n;
    assert_int_equal(dmdv_input_at(input), read);
    assert_int_equal(dmdv_input_total(input), SZB);
  } while (n > 0);
  assert_int_equal(read, SZB);
  dmdv_input_close(input);
  remove(name);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_line),
      cmocka_unit_test(the_line_of_work),
      cmocka_unit_test(how_far_a_file_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
