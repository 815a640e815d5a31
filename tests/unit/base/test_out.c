/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include <stdio.h>

/* Pieces of any length, around the buffer's too, come out whole and in order. */
static void pieces_come_out_in_order(void **state) {
  (void)state;
  static char expected[400000];
  size_t n = 0;
  dice_t dice = {31};
  sink_t sink;
  sink_init(&sink);
  for (int i = 0; i < 400; i++) {
    size_t piece = (size_t)dice_below(&dice, 8) == 0 ? 4090 + (size_t)dice_below(&dice, 12)
                                                     : (size_t)dice_below(&dice, 100);
    if (i == 200)
      piece = 3 * 4096;
    for (size_t k = 0; k < piece; k++)
      expected[n + k] = (char)dice_u64(&dice);
    dmd_out_bytes(&sink.out, expected + n, piece);
    n += piece;
    if (i % 50 == 49) {
      assert_true(dmd_out_flush(&sink.out));
      assert_int_equal(sink.n, n);
    }
  }
  assert_true(n > 100000);
  assert_true(dmd_out_flush(&sink.out));
  assert_int_equal(sink.n, n);
  assert_memory_equal(sink.text, expected, n);
  /* Output is buffered: there is not a write for each piece. */
  assert_true(sink.n_writes < 150);
  sink_free(&sink);
}

static void nothing_to_flush_writes_nothing(void **state) {
  (void)state;
  sink_t sink;
  sink_init(&sink);
  dmd_out_bytes(&sink.out, "", 0);
  dmd_out_str(&sink.out, "");
  assert_true(dmd_out_flush(&sink.out));
  assert_int_equal(sink.n_writes, 0);
  sink_free(&sink);
}

/* A failed write is remembered, and the host is not called again: output with a hole in it is worse
 * than none. */
static void after_a_failed_write_the_rest_is_dropped(void **state) {
  (void)state;
  char line[100];
  memset(line, 'l', sizeof line);
  for (size_t bad = 1; bad <= 4; bad++) {
    sink_t sink;
    sink_init(&sink);
    sink.fail_at = bad;
    for (int i = 0; i < 200; i++)
      dmd_out_bytes(&sink.out, line, sizeof line);
    assert_false(dmd_out_flush(&sink.out));
    assert_int_equal(sink.n_writes, bad);
    assert_int_equal(sink.n, 4096 * (bad - 1));
    dmd_out_str(&sink.out, "more");
    assert_false(dmd_out_flush(&sink.out));
    assert_int_equal(sink.n_writes, bad);
    sink_free(&sink);
  }
}

static void the_last_write_fails(void **state) {
  (void)state;
  sink_t sink;
  sink_init(&sink);
  sink.fail_at = 1;
  dmd_out_char(&sink.out, 'x');
  assert_false(dmd_out_flush(&sink.out));
  assert_false(dmd_out_flush(&sink.out));
  assert_int_equal(sink.n_writes, 1);
  sink_free(&sink);
}

static void words_numbers_columns(void **state) {
  (void)state;
  sink_t sink;
  sink_init(&sink);
  dmd_out_str(&sink.out, "a");
  dmd_out_char(&sink.out, '=');
  dmd_out_u64(&sink.out, UINT64_MAX);
  dmd_out_char(&sink.out, '|');
  dmd_out_left(&sink.out, "ab", 5);
  dmd_out_char(&sink.out, '|');
  dmd_out_right(&sink.out, "ab", 5);
  dmd_out_char(&sink.out, '|');
  dmd_out_left(&sink.out, "abcde", 5);
  dmd_out_right(&sink.out, "abcde", 5);
  dmd_out_char(&sink.out, '|');
  dmd_out_left(&sink.out, "too long", 5);
  dmd_out_right(&sink.out, "too long", 5);
  dmd_out_char(&sink.out, '|');
  dmd_out_left(&sink.out, "", 2);
  dmd_out_right(&sink.out, "", 0);
  dmd_out_char(&sink.out, '|');
  assert_text_equal(sink_text(&sink), "a=18446744073709551615|ab   |   ab|abcdeabcde|"
                                      "too longtoo long|  |");
  sink_free(&sink);
}

/* ---- strings that must not steer a terminal ---- */

static const char *safe(sink_t *sink, const char *s) {
  sink_init(sink);
  dmd_out_safe(&sink->out, s);
  return sink_text(sink);
}

static void safe_by_hand(void **state) {
  (void)state;
  static const struct {
    const char *in, *out;
  } cases[] = {
      {"", ""},
      {"plain \\ \"text\" ~", "plain \\ \"text\" ~"},
      {"\x1b[2J", "\\x1b[2J"},
      {"a\tb\nc\rd\x7f", "a\\x09b\\x0ac\\x0dd\\x7f"},
      {"gr\xc3\xbc\xc3\x9f"
       "e",
       "gr\xc3\xbc\xc3\x9f"
       "e"},
      {"\xc2\x9b"
       "31m",
       "\\xc2\\x9b31m"},          /* U+009B, a one-character "ESC [" */
      {"a\xc2\xa0", "a\xc2\xa0"}, /* U+00A0, the first that is not a control */
      {"a\xe2\x80\xae"
       "b\xe2\x81\xa7",
       "a\\xe2\\x80\\xae"
       "b\\xe2\\x81\\xa7"},                       /* U+202E, U+2067 */
      {"\xd8\x9c\xd8\x9b", "\\xd8\\x9c\xd8\x9b"}, /* U+061C, and the letter before it */
      {"a\xe2\x80\xa8\xe2\x80\xa7", "a\\xe2\\x80\\xa8\xe2\x80\xa7"}, /* U+2028, and U+2027 */
      {"\xf0\x9f\x98\x80\xff", "\xf0\x9f\x98\x80\\xff"},
      {"\xe2\x82", "\\xe2\\x82"},
      {"\xc0\x9b", "\\xc0\\x9b"}, /* an overlong ESC */
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    sink_t sink;
    assert_string_equal(safe(&sink, cases[i].in), cases[i].out);
    sink_free(&sink);
  }
}

static bool naive_is_space(uint32_t code) {
  return code == ' ' || (code >= 9 && code <= 13) || code == 0x85 || code == 0xa0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 ||
         code == 0x202f || code == 0x205f || code == 0x3000;
}

/* Separators of lines and paragraphs, and what changes the direction of text. */
static bool naive_is_layout(uint32_t code) {
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

static void naive_safe(char *to, const char *s) {
  bool is_blank = true;
  char before = '\n';
  while (*s != '\0') {
    uint32_t code = 0;
    size_t n = naive_utf8_length(s, &code);
    bool show = n > 0 && code >= 0x20 && (code < 0x7f || code > 0x9f) && !naive_is_layout(code);
    if (is_blank && (code == ':' || (code > 0x7f && naive_is_space(code))))
      show = false;
    if (code == '#' && before == '#')
      show = false;
    is_blank = is_blank && show && code == ' ';
    if (n == 0)
      n = 1;
    for (; n > 0; n--, s++)
      to += show ? sprintf(to, "%c", *s) : sprintf(to, "\\x%02x", *s & 0xff);
    before = to[-1];
  }
  *to = '\0';
}

static void safe_against_a_naive_one(void **state) {
  (void)state;
  dice_t dice = {33};
  for (int i = 0; i < 20000; i++) {
    char s[40], expected[4 * sizeof s];
    size_t n = 0, most = (size_t)dice_below(&dice, sizeof s - 5);
    while (n < most) {
      unsigned char bytes[4] = {(unsigned char)(1 + dice_below(&dice, 255))};
      size_t k = 1;
      if (dice_below(&dice, 2))
        k = naive_utf8_encode(1 + (uint32_t)(dice_any_size(&dice) & 0x1fffff), bytes);
      memcpy(s + n, bytes, k);
      n += k;
    }
    s[n] = '\0';
    naive_safe(expected, s);
    sink_t sink;
    assert_string_equal(safe(&sink, s), expected);
    assert_true(naive_utf8_valid(sink_text(&sink)));
    sink_free(&sink);
    /* Cutting a string gives the same as printing the part alone. */
    size_t part = (size_t)dice_below(&dice, n + 1);
    sink_init(&sink);
    dmd_out_safe_n(&sink.out, s, part);
    s[part] = '\0';
    naive_safe(expected, s);
    assert_string_equal(sink_text(&sink), expected);
    sink_free(&sink);
  }
}

/* ---- nor a CI ---- */

/* Whether GitHub's runner would look for a command in one of these lines (ActionCommand.cs). */
static bool runner_looks(const char *text) {
  bool is_blank = true;
  for (const char *s = text; *s != '\0';) {
    uint32_t code = 0;
    size_t n = naive_utf8_length(s, &code);
    if (strncmp(s, "##[", 3) == 0 || (is_blank && strncmp(s, "::", 2) == 0))
      return true;
    is_blank = code == '\n' || code == '\r' || (is_blank && naive_is_space(code));
    s += n == 0 ? 1 : n;
  }
  return false;
}

static void the_runner_is_known(void **state) {
  (void)state;
  assert_true(runner_looks("x\n \xe3\x80\x80::error::y"));
  assert_true(runner_looks("x ##[error]y"));
  assert_false(runner_looks("x ::error::y\n #[error]"));
}

/* Foreign strings, alone and surrounded by what surrounds them in reports. Some fill the buffer, so
 * that the text before them is already flushed. */
static void no_string_is_a_command(void **state) {
  (void)state;
  static const char *const theirs[] = {"",
                                       ":",
                                       "::",
                                       "#",
                                       "##",
                                       "[",
                                       "]",
                                       "##[error]",
                                       " ",
                                       "\n",
                                       "::error",
                                       "\xc2\xa0",
                                       "\xe2\x80\xa8",
                                       "\xe3\x80\x80",
                                       "error::x",
                                       "x",
                                       "\r",
                                       "\t",
                                       "\xc2\x85",
                                       "\xe1\x9a\x80",
                                       "\xff",
                                       "\xc3\xa9",
                                       "##[stop]"};
  static const char *const ours[] = {"\n", "\n  ", "  ", "#01: ", " (", "[", ", ", "# "};
  dice_t dice = {36};
  size_t n_escaped = 0;
  for (int round = 0; round < 5000; round++) {
    sink_t sink;
    sink_init(&sink);
    if (dice_below(&dice, 4) == 0) {
      for (uint64_t i = 4096 - dice_below(&dice, 12); i > 1; i--)
        dmd_out_char(&sink.out, '-');
      dmd_out_char(&sink.out, '\n');
    }
    for (uint64_t n = dice_below(&dice, 12); n > 0; n--) {
      dmd_out_str(&sink.out, ours[dice_below(&dice, COUNT_OF(ours))]);
      for (uint64_t k = dice_below(&dice, 4); k > 0; k--)
        dmd_out_safe(&sink.out, theirs[dice_below(&dice, COUNT_OF(theirs))]);
      if (dice_below(&dice, 2)) { /* a place, as in FILE:REASON */
        dmd_out_char(&sink.out, ':');
        dmd_out_safe(&sink.out, theirs[dice_below(&dice, COUNT_OF(theirs))]);
        dmd_out_char(&sink.out, ' ');
        dmd_out_str(&sink.out, "x");
      }
    }
    const char *text = sink_text(&sink);
    assert_false(runner_looks(text));
    n_escaped += strstr(text, "\\x3a") != NULL && strstr(text, "\\x23") != NULL;
    sink_free(&sink);
  }
  assert_true(n_escaped > 100);
}

/* A string that is not a command is printed unchanged. */
static void colons_within_a_line_stay(void **state) {
  (void)state;
  sink_t sink;
  sink_init(&sink);
  dmd_out_str(&sink.out, "     #01: ");
  dmd_out_safe(&sink.out, "::operator new[](unsigned long) #1 a::b (:memory:)");
  assert_text_equal(sink_text(&sink),
                    "     #01: ::operator new[](unsigned long) #1 a::b (:memory:)");
  sink_free(&sink);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_come_out_in_order),
      cmocka_unit_test(nothing_to_flush_writes_nothing),
      cmocka_unit_test(after_a_failed_write_the_rest_is_dropped),
      cmocka_unit_test(the_last_write_fails),
      cmocka_unit_test(words_numbers_columns),
      cmocka_unit_test(safe_by_hand),
      cmocka_unit_test(safe_against_a_naive_one),
      cmocka_unit_test(the_runner_is_known),
      cmocka_unit_test(no_string_is_a_command),
      cmocka_unit_test(colons_within_a_line_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
