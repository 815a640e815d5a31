/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/str.h"
#include "host.h"

#include <fnmatch.h>

static bool matches(const char *pattern, const char *text) {
  return dmd_glob_matches(pattern, text);
}

static void globs(void **state) {
  (void)state;
  static const struct {
    const char *pattern, *text;
    bool matches;
  } cases[] = {
      {"abc", "abc", true},
      {"abc", "abcd", false},
      {"abc", "xabc", false},
      {"abc", "ab", false},
      {"", "", true},
      {"", "a", false},
      {"*", "", true},
      {"*", "anything", true},
      {"a*", "a", true},
      {"a*c", "abc", true},
      {"a*c", "abcb", false},
      {"*abc", "ababc", true},
      {"*a*b*c", "xaybzc", true},
      {"*a*b*c", "xaybzcd", false},
      {"a**c", "ac", true},
      {"?", "a", true},
      {"?", "", false},
      {"?", "ab", false},
      {"?", "\xc3\xa9", true}, /* one character of two bytes */
      {"??", "\xc3\xa9", false},
      {"a?c",
       "a\xe2\x82\xac"
       "c",
       true},
      {"*?", "\xc3\xa9", true},
      {"\\*", "*", true},
      {"\\*", "a", false},
      {"\\?", "?", true},
      {"\\?", "a", false},
      {"\\\\", "\\", true},
      {"a\\", "a\\", true}, /* nothing behind it to protect */
      {"*\\**", "a*b", true},
      {"*\\**", "ab", false},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++)
    if (matches(cases[i].pattern, cases[i].text) != cases[i].matches)
      fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
}

/* fnmatch has these patterns, and also brackets, which do not occur here. It rejects a backslash at
 * the end of a pattern, which our function takes literally. */
static void random_against_fnmatch(void **state) {
  (void)state;
  dice_t dice = {5};
  int n_matches = 0, n = 0;
  for (int i = 0; i < 100000; i++) {
    char pattern[9] = "", text[10] = "";
    for (size_t k = 0, n_pattern = dice_below(&dice, sizeof pattern); k < n_pattern; k++)
      pattern[k] = "ab*?*\\"[dice_below(&dice, 6)];
    for (size_t k = 0, n_text = dice_below(&dice, sizeof text); k < n_text; k++)
      text[k] = "ababab*?\\"[dice_below(&dice, 9)];
    size_t n_escapes = 0, length = strlen(pattern);
    while (n_escapes < length && pattern[length - 1 - n_escapes] == '\\')
      n_escapes++;
    if (n_escapes % 2 == 1)
      continue;
    bool expected = fnmatch(pattern, text, 0) == 0;
    if (dmd_glob_matches(pattern, text) != expected)
      fail_msg("'%s' and '%s'", pattern, text);
    n_matches += expected;
    n++;
  }
  assert_in_range(n_matches, n / 10, n / 10 * 9);
}

/* Bytes after the first n do not count. */
static void a_part_of_a_text(void **state) {
  (void)state;
  assert_true(dmd_glob_matches_n("*b", "abc", 2));
  assert_false(dmd_glob_matches_n("*c", "abc", 2));
  assert_true(dmd_glob_matches_n("a?", "a\xc3\xa9", 2)); /* half a character is one */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(globs),
      cmocka_unit_test(random_against_fnmatch),
      cmocka_unit_test(a_part_of_a_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
