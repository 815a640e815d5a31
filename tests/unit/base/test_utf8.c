/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "base/utf8.h"

static void all_sequences_of_up_to_three_bytes(void **state) {
  (void)state;
  size_t n_valid[4] = {0};
  char s[4] = "";
  for (unsigned a = 1; a < 256; a++) {
    s[0] = (char)a;
    for (unsigned b = 0; b < 256; b++) {
      s[1] = (char)b;
      for (unsigned c = 0; c < (b == 0 ? 1 : 256); c++) {
        s[2] = (char)c;
        size_t n = dmd_utf8_length(s);
        size_t expected = naive_utf8_length(s, NULL);
        if (n != expected)
          fail_msg("%02x %02x %02x: %zu, not %zu", a, b, c, n, expected);
        if (n > 0 && c == 0 && (n != 1 || b == 0))
          n_valid[n]++;
        else if (n == 3)
          n_valid[3]++;
      }
    }
  }
  /* All code points of up to three bytes: U+0001 to U+007F, U+0080 to U+07FF, and U+0800 to U+FFFF
   * without surrogates. */
  assert_int_equal(n_valid[1], 0x7f);
  assert_int_equal(n_valid[2], 0x800 - 0x80);
  assert_int_equal(n_valid[3], 0x10000 - 0x800 - 0x800);
}

/* Every second and third byte after the leads around the four-byte range, and random others. */
static void four_bytes(void **state) {
  (void)state;
  dice_t dice = {32};
  char s[5] = "";
  size_t n_valid = 0;
  for (size_t i = 0; i < 2000000; i++) {
    s[0] = (char)(0xee + dice_below(&dice, 10));
    s[1] = (char)(i & 0xff);
    bool continued = dice_below(&dice, 8) > 0;
    s[2] = (char)(continued ? 0x80 | (dice_u64(&dice) >> 58) : dice_u64(&dice) >> 56);
    continued = dice_below(&dice, 8) > 0;
    s[3] = (char)(continued ? 0x80 | (dice_u64(&dice) >> 58) : dice_u64(&dice) >> 56);
    size_t n = dmd_utf8_length(s), expected = naive_utf8_length(s, NULL);
    if (n != expected)
      fail_msg("%02x %02x %02x %02x: %zu, not %zu", s[0] & 0xff, s[1] & 0xff, s[2] & 0xff,
               s[3] & 0xff, n, expected);
    n_valid += n == 4;
  }
  assert_true(n_valid > 10000);
}

static void every_code_point(void **state) {
  (void)state;
  for (uint32_t code = 1; code <= 0x110000; code++) {
    char s[5] = "";
    size_t n = naive_utf8_encode(code, (unsigned char *)s);
    if (n > 0 && dmd_utf8_length(s) != n)
      fail_msg("U+%04X is not taken", (unsigned)code);
  }
}

/* Nothing behind the NUL, or behind the fourth byte, is looked at. */
static void reads_no_further_than_it_may(void **state) {
  (void)state;
  static const char *const cut[] = {"",     "\xc3",     "\xe2",        "\xe2\x82",
                                    "\xf0", "\xf0\x9f", "\xf0\x9f\x98"};
  for (size_t i = 0; i < COUNT_OF(cut); i++) {
    size_t n = strlen(cut[i]) + 1;
    char *exact = malloc(n);
    assert_non_null(exact);
    memcpy(exact, cut[i], n);
    assert_int_equal(dmd_utf8_length(exact), i == 0 ? 1 : 0);
    free(exact);
  }
  char *four = malloc(4);
  assert_non_null(four);
  memcpy(four, "\xf0\x9f\x98\x80", 4);
  assert_int_equal(dmd_utf8_length(four), 4);
  free(four);
}

/* The characters with White_Space in Unicode's PropList.txt, all of which are above ASCII and no
 * controls. */
static void wide_spaces(void **state) {
  (void)state;
  static const uint32_t spaces[] = {0xa0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003,
                                    0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009,
                                    0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000};
  size_t n_found = 0;
  for (uint32_t code = 1; code < 0x110000; code++) {
    if (code >= 0xd800 && code < 0xe000)
      continue;
    unsigned char bytes[5] = {0};
    naive_utf8_encode(code, bytes);
    bool is_space = false;
    for (size_t i = 0; i < COUNT_OF(spaces); i++)
      is_space = is_space || spaces[i] == code;
    assert_int_equal(dmd_utf8_is_wide_space((const char *)bytes), is_space);
    n_found += is_space;
  }
  assert_int_equal(n_found, COUNT_OF(spaces));
}

/* Characters that a terminal may obey, and those that hide how text goes on: listed by hand from
 * Unicode's UnicodeData.txt (categories Cc, Zl and Zp) and PropList.txt (Bidi_Control). */
static void unsafe_characters(void **state) {
  (void)state;
  static const uint32_t ranges[][2] = {{0x01, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},
                                       {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
  for (uint32_t code = 1; code < 0x110000; code++) {
    if (code >= 0xd800 && code < 0xe000)
      continue;
    unsigned char bytes[5] = {0};
    naive_utf8_encode(code, bytes);
    bool is_unsafe = false;
    for (size_t i = 0; i < COUNT_OF(ranges); i++)
      is_unsafe = is_unsafe || (code >= ranges[i][0] && code <= ranges[i][1]);
    assert_int_equal(dmd_utf8_is_unsafe((const char *)bytes), is_unsafe);
  }
}

/* Character by character, against the slow way. */
static void random_repairs(void **state) {
  (void)state;
  static const char *const pieces[] = {"a", "\xff", "\xc3", "\xa9", "\xe2\x82", "\xf0\x9f\x8d\xaa"};
  dice_t dice = {12};
  for (int round = 0; round < 20000; round++) {
    char s[64] = "", expected[192] = "", repaired[192];
    for (uint64_t n = dice_below(&dice, 10); n > 0; n--)
      strcat(s, pieces[dice_below(&dice, COUNT_OF(pieces))]);
    for (const char *from = s; *from != '\0';) {
      size_t n = naive_utf8_length(from, NULL);
      strncat(expected, n == 0 ? "\xef\xbf\xbd" : from, n == 0 ? 3 : n);
      from += n == 0 ? 1 : n;
    }
    assert_int_equal(dmd_utf8_repair(NULL, s), strlen(expected));
    assert_int_equal(dmd_utf8_repair(repaired, s), strlen(expected));
    assert_string_equal(repaired, expected);
    assert_int_equal(dmd_utf8_is_valid(s), strcmp(s, expected) == 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_sequences_of_up_to_three_bytes),
      cmocka_unit_test(four_bytes),
      cmocka_unit_test(every_code_point),
      cmocka_unit_test(reads_no_further_than_it_may),
      cmocka_unit_test(wide_spaces),
      cmocka_unit_test(unsafe_characters),
      cmocka_unit_test(random_repairs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
