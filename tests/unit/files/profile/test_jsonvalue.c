/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Trees of JSON values, compared with those that cJSON makes.
 */
#include "host.h"

#include <cjson/cJSON.h>
#include <stdio.h>

#include "files/profile/jsonvalue.h"

static double number(const char *text) {
  return strtod(text, NULL);
}

typedef struct {
  host_t host;
  dmd_jsonvalues_t values;
} fixture_t;

static void begin(fixture_t *f) {
  host_init(&f->host);
  dmd_jsonvalues_init(&f->values, &f->host.env, number);
}

static void end(fixture_t *f) {
  dmd_jsonvalues_destroy(&f->values);
  host_done(&f->host);
}

/* ---- By hand. ---- */

static const dmd_jsonvalue_t *parse(fixture_t *f, const char *text) {
  const char *stop;
  const dmd_jsonvalue_t *value = dmd_jsonvalues_parse(&f->values, text, strlen(text), &stop);
  if (value != NULL)
    assert_int_equal(*stop, '\0');
  return value;
}

static void members_and_elements(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  const dmd_jsonvalue_t *v =
      parse(&f, " {\"a\": [1, null, \"x\"], \"b\" :true,\"a\":false, \"c\": {}, \"d\":[]}");
  assert_int_equal(dmd_jsonvalue_count(v), 5);
  const dmd_jsonvalue_t *a = dmd_jsonvalue_get(v, "a");
  assert_true(dmd_jsonvalue_is(a, DMD_JSONVALUE_ARRAY));
  assert_int_equal(dmd_jsonvalue_count(a), 3);
  assert_true(dmd_jsonvalue_at(a, 0)->number == 1);
  assert_true(dmd_jsonvalue_is(dmd_jsonvalue_at(a, 1), DMD_JSONVALUE_NULL));
  assert_string_equal(dmd_jsonvalue_at(a, 2)->string, "x");
  assert_null(dmd_jsonvalue_at(a, 3));
  assert_true(dmd_jsonvalue_is(dmd_jsonvalue_get(v, "b"), DMD_JSONVALUE_TRUE));
  assert_int_equal(dmd_jsonvalue_count(dmd_jsonvalue_get(v, "c")), 0);
  assert_int_equal(dmd_jsonvalue_count(dmd_jsonvalue_get(v, "d")), 0);
  assert_null(dmd_jsonvalue_get(v, "e"));
  assert_null(dmd_jsonvalue_get(a, "a"));
  assert_null(dmd_jsonvalue_get(NULL, "a"));
  assert_false(dmd_jsonvalue_is(NULL, DMD_JSONVALUE_NULL));
  end(&f);
}

static void strings_are_decoded(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"\"\"", ""},
      {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
      {"\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac"},
      {"\"\\ud83c\\udf6A!\"", "\xf0\x9f\x8d\xaa!"},
      {"\"a\\u0000b\"", "a"},
  };
  fixture_t f;
  begin(&f);
  for (size_t i = 0; i < COUNT_OF(pairs); i++)
    assert_string_equal(parse(&f, pairs[i][0])->string, pairs[i][1]);
  static const char *const wrong[] = {
      "\"",          "\"a",         "\"\\\"", "\"\\x\"", "\"\\u12\"",      "\"\\u12g4\"",
      "\"\\ud83c\"", "\"\\udf6a\"", "\"\\",   "\"\\u",   "\"\\ud83c\\n\"", "\"\\ud83c\\u0041\""};
  for (size_t i = 0; i < COUNT_OF(wrong); i++)
    if (parse(&f, wrong[i]) != NULL)
      fail_msg("%s is accepted", wrong[i]);
  end(&f);
}

static void whole_numbers_are_exact(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool has_whole, has_negative;
    uint64_t whole;
    double number;
  } cases[] = {
      {"18446744073709551615", true, false, UINT64_MAX, 0x1p64},
      {"18446744073709551616", false, false, 0, 0x1p64},
      {"-9223372036854775808", false, true, UINT64_C(1) << 63, -0x1p63},
      {"-9007199254740993", false, true, 9007199254740993, -9007199254740992.0},
      {"-18446744073709551616", false, false, 0, -0x1p64},
      {"-0", false, true, 0, 0},
      {"-1.0", false, false, 0, -1},
      {"-1e2", false, false, 0, -100},
      {"-.5", false, false, 0, -0.5},
      {"7", true, false, 7, 7},
  };
  fixture_t f;
  begin(&f);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    const dmd_jsonvalue_t *value = parse(&f, cases[i].text);
    assert_non_null(value);
    assert_int_equal(value->has_whole, cases[i].has_whole);
    assert_int_equal(value->has_negative, cases[i].has_negative);
    if (value->has_whole || value->has_negative)
      assert_true(value->whole == cases[i].whole);
    assert_true(value->number == cases[i].number);
  }
  end(&f);
}

/* Large values, and many of them, retain only the memory for the largest one. */
static void memory_is_used_again(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  static char text[40000];
  size_t n = 0;
  while (n < sizeof text - 20)
    n += (size_t)sprintf(text + n, n == 0 ? "[1" : ",\"a\"");
  sprintf(text + n, "]");
  assert_non_null(parse(&f, text));
  assert_non_null(parse(&f, "{}"));
  assert_int_equal(f.host.n_blocks, 1);
  size_t n_calls = f.host.n_calls;
  for (int i = 0; i < 1000; i++)
    assert_non_null(parse(&f, "{\"a\": [1, 2]}"));
  assert_int_equal(f.host.n_calls, n_calls);
  end(&f);
}

/* ---- Against cJSON. ---- */

static void compare(const dmd_jsonvalue_t *v, const cJSON *c) {
  assert_int_equal(dmd_jsonvalue_is(v, DMD_JSONVALUE_NULL), cJSON_IsNull(c));
  assert_int_equal(dmd_jsonvalue_is(v, DMD_JSONVALUE_TRUE), cJSON_IsTrue(c));
  assert_int_equal(dmd_jsonvalue_is(v, DMD_JSONVALUE_FALSE), cJSON_IsFalse(c));
  assert_int_equal(dmd_jsonvalue_is(v, DMD_JSONVALUE_NUMBER), cJSON_IsNumber(c));
  assert_int_equal(dmd_jsonvalue_is(v, DMD_JSONVALUE_STRING), cJSON_IsString(c));
  assert_int_equal(dmd_jsonvalue_is(v, DMD_JSONVALUE_ARRAY), cJSON_IsArray(c));
  assert_int_equal(dmd_jsonvalue_is(v, DMD_JSONVALUE_OBJECT), cJSON_IsObject(c));
  if (cJSON_IsNumber(c))
    assert_memory_equal(&v->number, &c->valuedouble, sizeof(double));
  if (cJSON_IsString(c))
    assert_string_equal(v->string, c->valuestring);
  assert_int_equal(dmd_jsonvalue_count(v), cJSON_GetArraySize(c));
  const cJSON *element = c->child;
  DMD_JSONVALUE_EACH(child, v) {
    if (element->string != NULL)
      assert_string_equal(child->key, element->string);
    else
      assert_null(child->key);
    compare(child, element);
    element = element->next;
  }
}

/* Appends a random value, which is valid JSON most of the time. */
static size_t put_value(char *to, dice_t *dice, int depth) {
  static const char *const scalars[] = {"null",
                                        "true",
                                        "false",
                                        "0",
                                        "-1",
                                        "12",
                                        "1.5",
                                        "-0.25e2",
                                        "1e3",
                                        "2E+4",
                                        "3e-2",
                                        "007",
                                        "1.",
                                        "-.5",
                                        "-",
                                        "1e",
                                        "1e+",
                                        "123456789012345",
                                        "1234567890123456789",
                                        "0.1",
                                        "1e999",
                                        "-0",
                                        "\"\"",
                                        "\"text\"",
                                        "\"\\u00e9\"",
                                        "\"\\n\\\"\"",
                                        "\"\\ud83c\\udf6a\"",
                                        "\"\\ud83c\"",
                                        "\"\\x\"",
                                        "\"caf\xc3\xa9\"",
                                        "nul",
                                        "tru",
                                        "",
                                        "\"",
                                        "\"\\u00\"",
                                        "\"a\\u0000b\"",
                                        "1-2",
                                        "+1",
                                        ".5"};
  uint64_t what = depth == 0 ? 0 : dice_below(dice, 4);
  if (what < 2)
    return (size_t)sprintf(
        to, "%s", scalars[dice_below(dice, dice_below(dice, 8) == 0 ? COUNT_OF(scalars) : 11)]);
  bool is_object = what == 2;
  size_t n = (size_t)sprintf(to, is_object ? "{" : "["), n_elements = dice_below(dice, 5);
  for (size_t i = 0; i < n_elements; i++) {
    n += (size_t)sprintf(to + n, "%s%s", i > 0 ? "," : "", dice_below(dice, 4) == 0 ? " \n\t" : "");
    if (is_object)
      n += (size_t)sprintf(to + n, "\"%c%s\":", (char)('a' + dice_below(dice, 3)),
                           dice_below(dice, 8) == 0 ? "\\u0041" : "");
    n += put_value(to + n, dice, depth - 1);
  }
  return n + (size_t)sprintf(to + n, is_object ? "}" : "]");
}

/* cJSON reads four characters that are not digits as 0, which is not JSON. */
static bool has_wrong_digits(const char *text, size_t n) {
  for (size_t i = 0; i + 6 <= n; i++)
    if (text[i] == '\\' && text[i + 1] == 'u' && strspn(text + i + 2, "0123456789abcdefABCDEF") < 4)
      return true;
  return false;
}

static void random_against_cjson(void **state) {
  (void)state;
  static const char marks[] = "{}[],:\"\\0123456789-+.eE nul\n";
  fixture_t f;
  begin(&f);
  dice_t dice = {9};
  size_t n_good = 0, rounds = 60000;
  for (size_t round = 0; round < rounds; round++) {
    char text[8192];
    size_t n = put_value(text, &dice, (int)dice_below(&dice, 5));
    if (n > 0 && dice_below(&dice, 3) == 0)
      text[dice_below(&dice, n)] = marks[dice_below(&dice, sizeof marks - 1)];
    if (n > 0 && dice_below(&dice, 8) == 0)
      n = dice_below(&dice, n);
    /* In a block of just its size, so that tools see a read beyond it. */
    char *copy = malloc(n + 1);
    memcpy(copy, text, n);
    copy = realloc(copy, n > 0 ? n : 1);
    assert_non_null(copy);
    const char *stop, *stop_cjson = NULL;
    const dmd_jsonvalue_t *v = dmd_jsonvalues_parse(&f.values, copy, n, &stop);
    cJSON *c = cJSON_ParseWithLengthOpts(copy, n, &stop_cjson, false);
    if ((v != NULL) != (c != NULL) && !has_wrong_digits(text, n))
      fail_msg("%s: \"%.*s\"", v != NULL ? "only we accept" : "only cJSON accepts", (int)n, copy);
    if (v != NULL) {
      n_good++;
      assert_ptr_equal(stop, stop_cjson);
      compare(v, c);
    }
    cJSON_Delete(c);
    free(copy);
  }
  assert_in_range(n_good, rounds / 4, rounds * 19 / 20);
  end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_jsonvalues_t values;
  const char *stop;
  dmd_jsonvalues_init(&values, &host->env, number);
  char text[9000] = "[\"";
  memset(text + 2, 'x', sizeof text - 2);
  strcpy(text + sizeof text - 8, "\", 0.1]");
  assert_non_null(dmd_jsonvalues_parse(&values, text, strlen(text), &stop));
  dmd_jsonvalues_destroy(&values);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(members_and_elements),    cmocka_unit_test(strings_are_decoded),
      cmocka_unit_test(whole_numbers_are_exact), cmocka_unit_test(memory_is_used_again),
      cmocka_unit_test(random_against_cjson),    cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
