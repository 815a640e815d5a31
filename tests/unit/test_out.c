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
  /* It is buffered: not a write for each piece. */
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

/* A failed write is remembered, and the host is not asked again: what follows a hole is worse than
 * nothing. */
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

/* ---- UTF-8 ---- */

static void utf8_all_sequences_of_up_to_three_bytes(void **state) {
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
  /* What there is: U+0001 to U+007F, U+0080 to U+07FF, and U+0800 to U+FFFF without surrogates. */
  assert_int_equal(n_valid[1], 0x7f);
  assert_int_equal(n_valid[2], 0x800 - 0x80);
  assert_int_equal(n_valid[3], 0x10000 - 0x800 - 0x800);
}

/* Every second and third byte after the leads around the four-byte range, and random others. */
static void utf8_four_bytes(void **state) {
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

static void utf8_every_code_point(void **state) {
  (void)state;
  for (uint32_t code = 1; code <= 0x110000; code++) {
    char s[5] = "";
    size_t n = naive_utf8_encode(code, (unsigned char *)s);
    if (n > 0 && dmd_utf8_length(s) != n)
      fail_msg("U+%04X is not taken", (unsigned)code);
  }
}

/* Nothing behind the NUL, or behind the fourth byte, is looked at. */
static void utf8_reads_no_further_than_it_may(void **state) {
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
       "\\xc2\\x9b31m"},        /* U+009B, a one-character "ESC [" */
      {"\xc2\xa0", "\xc2\xa0"}, /* U+00A0, the first that is not a control */
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

static void naive_safe(char *to, const char *s) {
  while (*s != '\0') {
    uint32_t code = 0;
    size_t n = naive_utf8_length(s, &code);
    bool show = n > 0 && code >= 0x20 && (code < 0x7f || code > 0x9f);
    if (n == 0)
      n = 1;
    for (; n > 0; n--, s++)
      to += show ? sprintf(to, "%c", *s) : sprintf(to, "\\x%02x", *s & 0xff);
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
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_come_out_in_order),
      cmocka_unit_test(nothing_to_flush_writes_nothing),
      cmocka_unit_test(after_a_failed_write_the_rest_is_dropped),
      cmocka_unit_test(the_last_write_fails),
      cmocka_unit_test(words_numbers_columns),
      cmocka_unit_test(utf8_all_sequences_of_up_to_three_bytes),
      cmocka_unit_test(utf8_four_bytes),
      cmocka_unit_test(utf8_every_code_point),
      cmocka_unit_test(utf8_reads_no_further_than_it_may),
      cmocka_unit_test(safe_by_hand),
      cmocka_unit_test(safe_against_a_naive_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
