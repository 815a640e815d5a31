/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/str.h against the C library's functions of the same purpose.
 */
#include "base/str.h"
#include "host.h"

#include <string.h>
#include <strings.h>

enum { ROUNDS = 20000, MAX_LENGTH = 12 };

/* Few different bytes, so that strings often share a beginning or contain each other. */
static void throw_string(dice_t *dice, char *s) {
  static const char letters[] = "abAB/ \xff";
  size_t n = dice_below(dice, MAX_LENGTH + 1);
  for (size_t i = 0; i < n; i++)
    s[i] = letters[dice_below(dice, sizeof letters - 1)];
  s[n] = '\0';
}

static int sign(int v) {
  return (v > 0) - (v < 0);
}

static void random_against_the_c_library(void **state) {
  (void)state;
  dice_t dice = {7};
  char a[MAX_LENGTH + 1], b[MAX_LENGTH + 1];
  for (int i = 0; i < ROUNDS; i++) {
    throw_string(&dice, a);
    throw_string(&dice, b);
    size_t n = dice_below(&dice, MAX_LENGTH + 2);
    assert_int_equal(sign(dmd_str_compare(a, b)), sign(strcmp(a, b)));
    assert_int_equal(dmd_str_equal(a, b), strcmp(a, b) == 0);
    assert_int_equal(dmd_str_begins(a, b), strncmp(a, b, strlen(b)) == 0);
    assert_int_equal(dmd_str_equal_n(a, b, n), strncmp(a, b, n) == 0);
    assert_int_equal(dmd_str_equal_ignoring_case(a, b), strcasecmp(a, b) == 0);
    assert_ptr_equal(dmd_str_find(a, b), strstr(a, b));
    assert_ptr_equal(dmd_str_find_char(a, '/'), strchr(a, '/'));
    assert_ptr_equal(dmd_str_find_last_char(a, '/'), strrchr(a, '/'));
    assert_int_equal(dmd_str_span(a, b), strspn(a, b));
    assert_int_equal(dmd_str_span_without(a, b), strcspn(a, b));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_the_c_library),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
