/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include <stdio.h>

#include <cjson/cJSON.h>

#include "files/profile/jsonvalue.h"

/* A copy in a block of just its size, so that tools see a read beyond it. */
static char *copy_of(const char *text, size_t n) {
  char *copy = malloc(n > 0 ? n : 1);
  assert_non_null(copy);
  memcpy(copy, text, n);
  return copy;
}

/* ---- Strings. ---- */

/* The decoded string, one byte after another. */
static bool is_plain(const char *s, size_t n) {
  for (size_t i = 0; i < n; i++)
    if ((unsigned char)s[i] < 0x20 || s[i] == '"' || s[i] == '\\')
      return false;
  return true;
}

static void check_string(const char *contents, size_t n, bool good) {
  char text[128] = " \n\"";
  memcpy(text + 3, contents, n);
  text[3 + n] = '"';
  /* These bytes complete any sequence that the contents may begin. */
  memcpy(text + 4 + n, ": 1}", 4);
  char *copy = copy_of(text, n + 8);
  dmd_span_t span = {NULL, 0};
  const char *end = dmd_jsonscan_string(copy, copy + n + 8, &span);
  if (good) {
    assert_ptr_equal(end, copy + 4 + n);
    assert_ptr_equal(span.at, copy + 3);
    assert_int_equal(span.n, n);
  } else {
    assert_ptr_not_equal(end, copy + 4 + n);
  }
  free(copy);
}

/* Each byte at each place of strings of each length: words of eight bytes have no blind spot. */
static void each_byte_at_each_place(void **state) {
  (void)state;
  for (size_t n = 1; n <= 20; n++)
    for (size_t i = 0; i < n; i++)
      for (unsigned c = 0; c < 0x80; c++) {
        char contents[32];
        memset(contents, 'x', sizeof contents);
        contents[i] = (char)c;
        check_string(contents, n, is_plain(contents, n));
      }
}

static void random_utf8(void **state) {
  (void)state;
  dice_t dice = {1};
  size_t n_valid = 0;
  for (int round = 0; round < 20000; round++) {
    char contents[64];
    size_t n = 0, n_parts = dice_below(&dice, 12);
    for (size_t i = 0; i < n_parts; i++) {
      unsigned char sequence[4];
      size_t n_sequence = naive_utf8_encode((uint32_t)dice_below(&dice, 0x110000), sequence);
      if (dice_below(&dice, 2) == 0) {
        contents[n++] = (char)('a' + dice_below(&dice, 26));
      } else {
        memcpy(contents + n, sequence, n_sequence);
        n += n_sequence;
      }
    }
    if (n > 0 && dice_below(&dice, 3) == 0)
      contents[dice_below(&dice, n)] = (char)(0x80 + dice_below(&dice, 0x80));
    contents[n] = '\0';
    bool valid = naive_utf8_valid(contents) && is_plain(contents, n);
    n_valid += valid;
    check_string(contents, n, valid);
  }
  assert_in_range(n_valid, 5000, 19000);
}

/* A string that is cut short anywhere is not accepted. */
static void cut_strings(void **state) {
  (void)state;
  static const char text[] = "\"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8d\xaa crumbs\"";
  for (size_t n = 0; n < sizeof text - 1; n++) {
    char *copy = copy_of(text, n);
    dmd_span_t span;
    assert_null(dmd_jsonscan_string(copy, copy + n, &span));
    free(copy);
  }
}

/* ---- Numbers and words. ---- */

static const char *scan_number(const char *text, uint64_t *v) {
  return dmd_jsonscan_number(text, text + strlen(text), v);
}

static void numbers(void **state) {
  (void)state;
  uint64_t v;
  static const char most[] = "999999999999999,";
  assert_ptr_equal(scan_number(most, &v), most + 15);
  assert_int_equal(v, 999999999999999);
  static const char zero[] = "\t0}";
  assert_ptr_equal(scan_number(zero, &v), zero + 2);
  assert_int_equal(v, 0);
  assert_null(scan_number("", &v));
  assert_null(scan_number("-1", &v));
  assert_null(scan_number("x", &v));
  assert_null(dmd_jsonscan_number(NULL, NULL, &v));
  /* A token that is too long or not a whole number does not end where it seems to. */
  static const char longer[] = "1234567890123456}", fraction[] = "12.5}";
  assert_null(dmd_jsonscan_char(scan_number(longer, &v), longer + sizeof longer - 1, '}'));
  assert_null(dmd_jsonscan_char(scan_number(fraction, &v), fraction + sizeof fraction - 1, '}'));
}

static void words(void **state) {
  (void)state;
  static const char text[] = " true";
  assert_ptr_equal(dmd_jsonscan_word(text, text + 5, "true"), text + 5);
  assert_null(dmd_jsonscan_word(text, text + 4, "true"));
  assert_null(dmd_jsonscan_word(text, text + 5, "null"));
  assert_null(dmd_jsonscan_word(NULL, NULL, "true"));
}

/* ---- Any value, against cJSON. ---- */

typedef struct {
  char bytes[4096];
  size_t n;
} text_t;

static void put(text_t *text, const char *s) {
  size_t n = strlen(s);
  assert_true(text->n + n < sizeof text->bytes);
  memcpy(text->bytes + text->n, s, n + 1);
  text->n += n;
}

static void put_space(text_t *text, dice_t *dice) {
  static const char *const spaces[] = {"", "", "", " ", "\n", "\t \r\n"};
  put(text, spaces[dice_below(dice, COUNT_OF(spaces))]);
}

static void put_value(text_t *text, dice_t *dice, int depth) {
  static const char *const scalars[] = {"0",
                                        "17",
                                        "-3",
                                        "2.50",
                                        "true",
                                        "false",
                                        "null",
                                        "\"\"",
                                        "\"a b c\"",
                                        "\"caf\xc3\xa9\"",
                                        "\"#00: f (a.c:1)\""};
  put_space(text, dice);
  uint64_t kind = depth > 0 && text->n < 2000 ? dice_below(dice, 4) : 0;
  if (kind < 2) {
    put(text, scalars[dice_below(dice, COUNT_OF(scalars))]);
  } else {
    put(text, kind == 2 ? "{" : "[");
    for (uint64_t i = 0, n = dice_below(dice, 4); i < n; i++) {
      put(text, i > 0 ? "," : "");
      if (kind == 2) {
        put_space(text, dice);
        put(text, "\"key\"");
        put_space(text, dice);
        put(text, ":");
      }
      put_value(text, dice, depth - 1);
    }
    put_space(text, dice);
    put(text, kind == 2 ? "}" : "]");
  }
  put_space(text, dice);
}

/* Where the value ends according to cJSON; NULL if it finds no value. */
static const char *end_for_cjson(const char *text, size_t n) {
  const char *end;
  cJSON *json = cJSON_ParseWithLengthOpts(text, n, &end, false);
  cJSON_Delete(json);
  return json == NULL ? NULL : end;
}

/* Every document of the common shape is accepted, up to its end. */
static void values_are_accepted(void **state) {
  (void)state;
  dice_t dice = {2};
  for (int round = 0; round < 3000; round++) {
    text_t text = {.n = 0};
    put_value(&text, &dice, 5);
    put(&text, ",");
    char *copy = copy_of(text.bytes, text.n);
    const char *end = dmd_jsonscan_any(copy, copy + text.n, 5);
    assert_ptr_equal(dmd_jsonscan_space(end, copy + text.n), copy + text.n - 1);
    free(copy);
  }
}

/* Everything that is accepted is accepted by cJSON, too. */
static void changed_documents(void **state) {
  (void)state;
  dice_t dice = {3};
  size_t n_accepted = 0, n_refused = 0;
  for (int round = 0; round < 100000; round++) {
    text_t text = {.n = 0};
    put_value(&text, &dice, 4);
    for (uint64_t i = 0, n = dice_below(&dice, 3); i <= n && text.n > 0; i++) {
      static const char bytes[] = "{}[]\",:\\ \n0129.eE+-tfnu\x1f\x80\xc3\xff";
      text.bytes[dice_below(&dice, text.n)] = bytes[dice_below(&dice, sizeof bytes - 1)];
    }
    char *copy = copy_of(text.bytes, text.n);
    const char *end = dmd_jsonscan_any(copy, copy + text.n, 4);
    if (end != NULL)
      assert_ptr_equal(end, end_for_cjson(copy, text.n));
    n_accepted += end != NULL;
    n_refused += end == NULL;
    free(copy);
  }
  assert_in_range(n_accepted, 10000, 90000);
  assert_in_range(n_refused, 10000, 90000);
}

static void nesting(void **state) {
  (void)state;
  static const char text[] = "[[[{\"a\": []}]]]";
  const char *end = text + sizeof text - 1;
  assert_ptr_equal(dmd_jsonscan_any(text, end, 5), end);
  assert_null(dmd_jsonscan_any(text, end, 4));
  assert_null(dmd_jsonscan_any(text, end, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_byte_at_each_place),
      cmocka_unit_test(random_utf8),
      cmocka_unit_test(cut_strings),
      cmocka_unit_test(numbers),
      cmocka_unit_test(words),
      cmocka_unit_test(values_are_accepted),
      cmocka_unit_test(changed_documents),
      cmocka_unit_test(nesting),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
