/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "base/out.h"

static const char *encode(sink_t *sink, const char *bytes, size_t n, size_t piece) {
  dmd_base64_t base64;
  sink_init(sink);
  dmd_base64_init(&base64, sink->out.write, sink->out.ctx);
  for (size_t at = 0; at < n; at += piece)
    assert_true(dmd_base64_write(&base64, bytes + at, n - at < piece ? n - at : piece));
  assert_true(dmd_base64_end(&base64));
  return sink_text(sink);
}

/* The examples of RFC 4648, chapter 10, and all digits. */
static void examples(void **state) {
  (void)state;
  static const struct {
    const char *bytes, *text;
  } cases[] = {{"", ""},
               {"f", "Zg=="},
               {"fo", "Zm8="},
               {"foo", "Zm9v"},
               {"foob", "Zm9vYg=="},
               {"fooba", "Zm9vYmE="},
               {"foobar", "Zm9vYmFy"},
               {"\xfb\xff\xbf\x01", "+/+/AQ=="}};
  for (size_t i = 0; i < COUNT_OF(cases); i++)
    for (size_t piece = 1; piece <= 4; piece++) {
      sink_t sink;
      assert_string_equal(encode(&sink, cases[i].bytes, strlen(cases[i].bytes), piece),
                          cases[i].text);
      sink_free(&sink);
    }
}

static int digit(char c) {
  const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return (int)(strchr(digits, c) - digits);
}

/* Decoded bit by bit, whatever the length and the pieces. */
static void random_bytes(void **state) {
  (void)state;
  enum { MOST = 20000 };
  static char bytes[MOST];
  dice_t dice = {3};
  for (int i = 0; i < 50; i++) {
    size_t n = dice_below(&dice, MOST), bit = 0, column = 0;
    sink_t sink;
    for (size_t k = 0; k < n; k++)
      bytes[k] = (char)dice_below(&dice, 256);
    const char *text = encode(&sink, bytes, n, 1 + dice_below(&dice, 3000));
    for (const char *c = text; *c != '\0' && *c != '='; c++) {
      if (*c == '\n') {
        assert_int_equal(column, DMD_BASE64_LINE);
        column = 0;
        continue;
      }
      column++;
      for (int b = 5; b >= 0 && bit < 8 * n; b--, bit++)
        assert_int_equal(digit(*c) >> b & 1, (unsigned char)bytes[bit / 8] >> (7 - bit % 8) & 1);
    }
    assert_int_equal(bit, 8 * n);
    sink_free(&sink);
  }
}

static void a_failed_write_is_told(void **state) {
  (void)state;
  sink_t sink;
  dmd_base64_t base64;
  sink_init(&sink);
  sink.fail_at = 1;
  dmd_base64_init(&base64, sink.out.write, sink.out.ctx);
  dmd_base64_write(&base64, "foo", 3);
  assert_false(dmd_base64_end(&base64));
  sink_free(&sink);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(examples),
      cmocka_unit_test(random_bytes),
      cmocka_unit_test(a_failed_write_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
