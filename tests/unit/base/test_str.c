/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/str.h against the C library's functions of the same purpose.
 */
#include "base/str.h"
#include "host.h"

#include <errno.h>
#include <stdlib.h>
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
    char before[MAX_LENGTH + 1];
    strcpy(before, a);
    assert_int_equal(sign(dmd_str_compare(a, b)), sign(strcmp(a, b)));
    assert_int_equal(dmd_str_equal(a, b), strcmp(a, b) == 0);
    assert_int_equal(dmd_str_begins(a, b), strncmp(a, b, strlen(b)) == 0);
    bool ends = false;
    for (const char *end = a; end != NULL; end = *end == '\0' ? NULL : end + 1)
      ends = ends || strcmp(end, b) == 0;
    assert_int_equal(dmd_str_ends(a, strlen(a), b), ends);
    assert_int_equal(dmd_str_equal_n(a, b, n), strncmp(a, b, n) == 0);
    assert_int_equal(dmd_str_equal_ignoring_case(a, b), strcasecmp(a, b) == 0);
    assert_ptr_equal(dmd_str_find(a, b), strstr(a, b));
    assert_ptr_equal(dmd_str_find_char(a, '/'), strchr(a, '/'));
    assert_ptr_equal(dmd_str_find_last_char(a, '/'), strrchr(a, '/'));
    assert_int_equal(dmd_str_span(a, b), strspn(a, b));
    assert_int_equal(dmd_str_span_without(a, b), strcspn(a, b));
    dmd_str_to_upper(a);
    for (const char *c = a; *c != '\0'; c++)
      assert_false(*c >= 'a' && *c <= 'z');
    assert_int_equal(strcasecmp(a, before), 0);
  }
}

/* Digits and near misses, up to twice as long as what fits. */
static void throw_number(dice_t *dice, char *s, bool hex) {
  static const char letters[] = "0123456789abcdefABCDEF";
  static const char strays[] = "gG x-+./:@`";
  size_t n = dice_below(dice, hex ? 18 : 22);
  for (size_t i = 0; i < n; i++)
    s[i] = letters[dice_below(dice, hex ? sizeof letters - 1 : 10)];
  s[n] = '\0';
  if (n > 0 && dice_below(dice, 4) == 0)
    s[dice_below(dice, n)] = strays[dice_below(dice, sizeof strays - 1)];
  if (n > 12 && dice_below(dice, 2) == 0)
    memcpy(s, "000000000000", dice_below(dice, 12));
}

static void numbers_against_the_c_library(void **state) {
  (void)state;
  dice_t dice = {8};
  int n_good = 0, n_overflows = 0;
  for (int i = 0; i < ROUNDS; i++) {
    char s[32];
    bool hex = dice_below(&dice, 2) == 0;
    throw_number(&dice, s, hex);
    const char *digits = hex ? "0123456789abcdefABCDEF" : "0123456789";
    bool good = s[0] != '\0' && s[strspn(s, digits)] == '\0';
    errno = 0;
    uint64_t expected = strtoull(s, NULL, hex ? 16 : 10), number = 77;
    n_overflows += good && errno != 0;
    good = good && errno == 0;
    n_good += good;
    assert_int_equal(dmd_str_to_u64(s, hex ? 16 : 10, &number), good);
    assert_true(number == (good ? expected : 77));
  }
  assert_true(n_good > 1000 && n_overflows > 100);
  uint64_t number;
  assert_true(dmd_str_to_u64("18446744073709551615", 10, &number) && number == UINT64_MAX);
  assert_false(dmd_str_to_u64("18446744073709551616", 10, &number));
  assert_true(dmd_str_to_u64("ffffFFFFffffFFFF", 16, &number) && number == UINT64_MAX);
  assert_false(dmd_str_to_u64("10000000000000000", 16, &number));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_the_c_library),
      cmocka_unit_test(numbers_against_the_c_library),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
