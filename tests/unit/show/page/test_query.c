/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include <stdio.h>

#include "show/page/query.h"

typedef struct {
  host_t host;
  dmd_query_t query;
} fixture_t;

static void begin(fixture_t *f, const char *text) {
  host_init(&f->host);
  dmd_query_init(&f->query, &f->host.env, text);
}

static void end(fixture_t *f) {
  dmd_query_destroy(&f->query);
  host_done(&f->host);
}

static void assert_value(const char *text, const char *key, const char *value) {
  fixture_t f;
  begin(&f, text);
  assert_false(f.query.failed);
  if (value == NULL)
    assert_null(dmd_query_str(&f.query, key, NULL));
  else
    assert_string_equal(dmd_query_str(&f.query, key, "none"), value);
  end(&f);
}

static void pairs_are_taken_apart(void **state) {
  (void)state;
  assert_value("ask=records&q=a", "ask", "records");
  assert_value("ask=records&q=a", "q", "a");
  assert_value("ask=records&q=a", "a", NULL);
  assert_value("", "", NULL);
  assert_value("q", "q", "");
  assert_value("q=", "q", "");
  assert_value("a&b&q", "b", "");
  assert_value("&&q=1&&", "q", "1");
  assert_value("=1&q=2", "q", "2");
  assert_value("q=a=b", "q", "a=b");
  assert_value("q=first&q=second", "q", "first");
}

static void values_are_decoded(void **state) {
  (void)state;
  assert_value("q=%41%6a%6A", "q", "Ajj");
  assert_value("q=a+b%2Bc", "q", "a b+c");
  assert_value("q=%26%3D%25&r=1", "q", "&=%");
  assert_value("q=%E2%82%AC\xe2\x82\xac", "q", "\xe2\x82\xac\xe2\x82\xac");
  assert_value("%61sk=x", "ask", "x");
}

static void what_is_no_text_is_rejected(void **state) {
  (void)state;
  static const char *const wrong[] = {"q=%",    "q=%4",        "q=%4g",  "q=%g4",   "q=%00",
                                      "%00=q",  "q=%ff",       "q=\xff", "q=%C3",   "%C3=a",
                                      "q=%C3&", "q=%ed%a0%80", "a&%",    "q=%e2%82"};
  for (size_t i = 0; i < COUNT_OF(wrong); i++) {
    fixture_t f;
    begin(&f, wrong[i]);
    if (!f.query.failed)
      fail_msg("\"%s\" is accepted", wrong[i]);
    assert_true(f.query.message.n > 0 && f.query.hint.n > 0);
    end(&f);
  }
}

static void assert_number(const char *value, uint64_t expected, bool is_good) {
  char text[100];
  snprintf(text, sizeof text, "n=%s", value);
  fixture_t f;
  begin(&f, text);
  uint64_t number = dmd_query_number(&f.query, "n", 2, 30, 7);
  assert_int_equal(f.query.failed, !is_good);
  if (is_good)
    assert_int_equal(number, expected);
  else
    assert_string_equal(f.query.hint.text, "a whole number from 2 to 30");
  assert_int_equal(dmd_query_number(&f.query, "m", 2, 30, 1000), 1000);
  end(&f);
}

static void numbers_have_bounds(void **state) {
  (void)state;
  assert_number("2", 2, true);
  assert_number("30", 30, true);
  assert_number("007", 7, true);
  static const char *const wrong[] = {
      "1", "31", "", "-2", "2.0", "%2b3", " 3", "3x", "18446744073709551618"};
  for (size_t i = 0; i < COUNT_OF(wrong); i++)
    assert_number(wrong[i], 0, false);
}

static void words_and_flags(void **state) {
  (void)state;
  static const char *const words[] = {"stack", "function", "file"};
  fixture_t f;
  begin(&f, "by=file&desc=1&regex=0&sort=size&flag=yes");
  assert_int_equal(dmd_query_word(&f.query, "by", words, 3, 0), 2);
  assert_int_equal(dmd_query_word(&f.query, "other", words, 3, 1), 1);
  assert_true(dmd_query_flag(&f.query, "desc"));
  assert_false(dmd_query_flag(&f.query, "regex"));
  assert_false(dmd_query_flag(&f.query, "other"));
  assert_false(f.query.failed);
  assert_int_equal(dmd_query_word(&f.query, "sort", words, 3, 1), 1);
  assert_string_equal(f.query.message.text, "sort cannot be \"size\"");
  assert_string_equal(f.query.hint.text, "one of stack, function, file");
  /* The first thing that is wrong stays. */
  assert_false(dmd_query_flag(&f.query, "flag"));
  assert_string_equal(f.query.message.text, "sort cannot be \"size\"");
  end(&f);
}

/* Any value survives being encoded, by a slow encoder, and decoded. */
static void random_values_come_back(void **state) {
  (void)state;
  dice_t dice = {11};
  for (int round = 0; round < 500; round++) {
    char value[64], text[400] = "k=";
    size_t n = 0, at = 2;
    while (n < 40) {
      unsigned char encoded[4];
      size_t length = naive_utf8_encode((uint32_t)dice_below(&dice, 0x10000) + 1, encoded);
      memcpy(value + n, encoded, length);
      n += length;
    }
    value[n] = '\0';
    for (size_t i = 0; i < n; i++) {
      bool plain = strchr("&+%", value[i]) == NULL && dice_below(&dice, 2) == 0;
      at += (size_t)sprintf(text + at, plain ? "%c" : "%%%02x", (unsigned char)value[i]);
    }
    fixture_t f;
    begin(&f, text);
    assert_false(f.query.failed);
    assert_string_equal(dmd_query_str(&f.query, "k", ""), value);
    end(&f);
  }
}

static void use(host_t *host, void *arg) {
  (void)arg;
  static const char *const words[] = {"a", "b"};
  dmd_query_t query;
  dmd_query_init(&query, &host->env, "a=1&b=word&c=%41");
  dmd_query_word(&query, "b", words, 2, 0);
  dmd_query_destroy(&query);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_are_taken_apart),
      cmocka_unit_test(values_are_decoded),
      cmocka_unit_test(what_is_no_text_is_rejected),
      cmocka_unit_test(numbers_have_bounds),
      cmocka_unit_test(words_and_flags),
      cmocka_unit_test(random_values_come_back),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
