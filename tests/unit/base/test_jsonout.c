/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A third-party parser reads the output back, and the test compares the result with the intended
 * values. */
#include "host.h"

#include <stdio.h>

#include <cjson/cJSON.h>

#include "base/jsonout.h"

/* Every layout rule in one small document. */
static void layout(void **state) {
  (void)state;
  sink_t sink;
  sink_init(&sink);
  dmd_jsonout_t json;
  dmd_jsonout_init(&json, &sink.out);
  dmd_jsonout_object(&json, DMD_JSONOUT_LINES);
  dmd_jsonout_key_u64(&json, "version", 5);
  dmd_jsonout_key(&json, "none");
  dmd_jsonout_array(&json, DMD_JSONOUT_LINES);
  dmd_jsonout_end(&json);
  dmd_jsonout_key(&json, "list");
  dmd_jsonout_array(&json, DMD_JSONOUT_LINES);
  dmd_jsonout_object(&json, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_bool(&json, "yes", true);
  dmd_jsonout_key_bool(&json, "no", false);
  dmd_jsonout_key(&json, "empty");
  dmd_jsonout_object(&json, DMD_JSONOUT_INLINE);
  dmd_jsonout_end(&json);
  dmd_jsonout_end(&json);
  dmd_jsonout_array(&json, DMD_JSONOUT_INLINE);
  dmd_jsonout_id(&json, 12);
  dmd_jsonout_null(&json);
  dmd_jsonout_u64(&json, 0);
  dmd_jsonout_end(&json);
  dmd_jsonout_str2(&json, "pre", "fix");
  dmd_jsonout_object(&json, DMD_JSONOUT_DENSE);
  dmd_jsonout_key_u64(&json, "n", 1);
  dmd_jsonout_key(&json, "ids");
  dmd_jsonout_array(&json, DMD_JSONOUT_DENSE);
  dmd_jsonout_id(&json, 1);
  dmd_jsonout_id(&json, 2);
  dmd_jsonout_end(&json);
  dmd_jsonout_end(&json);
  dmd_jsonout_end(&json);
  dmd_jsonout_key_str(&json, "last", "one");
  dmd_jsonout_end(&json);
  assert_text_equal(sink_text(&sink), "{\n"
                                      " \"version\": 5,\n"
                                      " \"none\": [],\n"
                                      " \"list\": [\n"
                                      "  {\"yes\": true, \"no\": false, \"empty\": {}},\n"
                                      "  [\"12\", null, 0],\n"
                                      "  \"prefix\",\n"
                                      "  {\"n\":1,\"ids\":[\"1\",\"2\"]}\n"
                                      " ],\n"
                                      " \"last\": \"one\"\n"
                                      "}\n");
  sink_free(&sink);
}

static void numbers_are_whole(void **state) {
  (void)state;
  sink_t sink;
  sink_init(&sink);
  dmd_jsonout_t json;
  dmd_jsonout_init(&json, &sink.out);
  dmd_jsonout_array(&json, DMD_JSONOUT_INLINE);
  dmd_jsonout_u64(&json, UINT64_MAX);
  dmd_jsonout_id(&json, UINT64_MAX);
  dmd_jsonout_end(&json);
  assert_text_equal(sink_text(&sink), "[18446744073709551615, \"18446744073709551615\"]\n");
  sink_free(&sink);
}

/* ---- hostile strings ---- */

/* What a reader must get for s: U+FFFD for each byte that is in no well-formed sequence. to has
 * room for 3 times as much. */
static void naive_repair(char *to, const char *s) {
  while (*s != '\0') {
    size_t n = naive_utf8_length(s, NULL);
    if (n == 0) {
      strcpy(to, "\xef\xbf\xbd");
      to += 3;
      s++;
    }
    for (; n > 0; n--)
      *to++ = *s++;
  }
  *to = '\0';
}

/* cJSON lets raw control characters and any bytes pass, others do not. */
static void assert_strict_text(const char *text) {
  assert_true(naive_utf8_valid(text));
  for (const char *p = text; *p != '\0'; p++)
    assert_true((*p & 0xff) >= 0x20 || *p == '\n');
}

static void check_string_as(const char *s, bool ascii) {
  size_t room = 3 * strlen(s) + 1;
  char *expected = malloc(room);
  assert_non_null(expected);
  naive_repair(expected, s);
  sink_t sink;
  sink_init(&sink);
  dmd_jsonout_t json;
  dmd_jsonout_init(&json, &sink.out);
  if (ascii)
    dmd_jsonout_ascii(&json);
  dmd_jsonout_object(&json, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(&json, s, s);
  dmd_jsonout_end(&json);
  const char *text = sink_text(&sink);
  assert_strict_text(text);
  for (const char *p = text; ascii && *p != '\0'; p++)
    assert_true((*p & 0x80) == 0);
  assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
  cJSON *back = cJSON_ParseWithOpts(text, NULL, true);
  if (back == NULL)
    fail_msg("no JSON: %s", text);
  assert_int_equal(cJSON_GetArraySize(back), 1);
  assert_string_equal(back->child->string, expected);
  assert_string_equal(cJSON_GetStringValue(back->child), expected);
  cJSON_Delete(back);
  sink_free(&sink);
  free(expected);
}

static void check_string(const char *s) {
  check_string_as(s, false);
  check_string_as(s, true);
}

static void every_byte_value(void **state) {
  (void)state;
  for (int c = 1; c < 256; c++) {
    char s[8];
    snprintf(s, sizeof s, "%c", c);
    check_string(s);
    snprintf(s, sizeof s, "a%cb", c);
    check_string(s);
    snprintf(s, sizeof s, "%c%c%c", c, c, c);
    check_string(s);
    snprintf(s, sizeof s, "\\%c\"", c);
    check_string(s);
  }
}

static void by_hand(void **state) {
  (void)state;
  static const char *const strings[] = {
      "",
      "\"quoted\" and \\ and /",
      "\\u0041 is not to be read as A",
      "\xef\xbf\xbd stands for itself",
      "2, 3 and 4 bytes: \xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
      "half a \xe2\x82",
      "half a pair \xed\xa0\xbd\xed\xb8\x80",
      "\xf0\x9f\x98\x80 and \xf4\x90\x80\x80",
      "operator<<<char, std::char_traits<char>>(\"\\n\")\n",
  };
  for (size_t i = 0; i < COUNT_OF(strings); i++)
    check_string(strings[i]);
}

static void random_bytes(void **state) {
  (void)state;
  dice_t dice = {41};
  for (int i = 0; i < 20000; i++) {
    char s[24];
    size_t n = (size_t)dice_below(&dice, sizeof s);
    for (size_t k = 0; k < n; k++) {
      /* All values, with those that begin and continue sequences more often. */
      static const unsigned char frequent[] = {0x80, 0xbf, 0xc2, 0xe0, 0xed, 0xf0, 0xf4, '"', '\\'};
      uint64_t roll = dice_below(&dice, 400);
      s[k] = (char)(roll < 255 ? roll + 1 : frequent[roll % COUNT_OF(frequent)]);
    }
    s[n] = '\0';
    check_string(s);
  }
}

static void longer_than_the_buffer(void **state) {
  (void)state;
  static char s[20000];
  memset(s, '"', sizeof s - 1);
  check_string(s);
  memset(s, 0x01, sizeof s - 1);
  check_string(s);
  memset(s, 0xff, sizeof s - 1);
  check_string(s);
}

static void two_parts_are_one_string(void **state) {
  (void)state;
  sink_t sink;
  sink_init(&sink);
  dmd_jsonout_t json;
  dmd_jsonout_init(&json, &sink.out);
  dmd_jsonout_array(&json, DMD_JSONOUT_INLINE);
  dmd_jsonout_str2(&json, "#00: ", "op\"\x1f");
  dmd_jsonout_str2(&json, "", "b");
  /* Control characters are escaped, those of two bytes too; one that differs by a bit is not. */
  dmd_jsonout_str2(&json, "\x7f\xc2\x80\xc2\x9f", "\xc2\xa0");
  /* Halves of a sequence do not become whole by standing beside each other. */
  dmd_jsonout_str2(&json, "\xc3", "\xbc");
  dmd_jsonout_end(&json);
  assert_text_equal(sink_text(&sink), "[\"#00: op\\\"\\u001f\", \"b\", "
                                      "\"\\u007f\\u0080\\u009f\xc2\xa0\", "
                                      "\"\xef\xbf\xbd\xef\xbf\xbd\"]\n");
  sink_free(&sink);
}

/* ---- documents ---- */

static void random_key(dice_t *dice, char key[32], size_t i) {
  /* Different for each member of an object, and not the same without case, which cJSON ignores. */
  snprintf(key, 32, "%zu%c%s", i, (int)(1 + dice_below(dice, 127)),
           dice_below(dice, 2) ? "" : "\"");
}

/* Writes a random value and gives what a parser should make of it. */
static cJSON *random_value(dmd_jsonout_t *json, dice_t *dice, int depth) {
  uint64_t kind = dice_below(dice, depth >= 16 ? 6 : depth == 0 ? 2 : 10);
  bool lines = dice_below(dice, 2);
  /* Containers come first only at the top, and are likelier where there is room for them. */
  if (depth > 0 && kind < 6) {
    uint64_t v = dice_any_size(dice) >> 11; /* below 2^53: exact in a double */
    char text[32];
    switch (kind) {
    case 0:
      dmd_jsonout_u64(json, v);
      return cJSON_CreateNumber((double)v);
    case 1:
      dmd_jsonout_id(json, v);
      snprintf(text, sizeof text, "%llu", (unsigned long long)v);
      return cJSON_CreateString(text);
    case 2:
      dmd_jsonout_bool(json, v & 1);
      return cJSON_CreateBool(v & 1);
    case 3:
      dmd_jsonout_null(json);
      return cJSON_CreateNull();
    default:
      random_key(dice, text, (size_t)v);
      dmd_jsonout_str(json, text);
      return cJSON_CreateString(text);
    }
  }
  size_t n = (size_t)dice_below(dice, 5);
  if (kind % 2 == 0) {
    dmd_jsonout_array(json, lines ? DMD_JSONOUT_LINES : DMD_JSONOUT_INLINE);
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < n; i++)
      cJSON_AddItemToArray(array, random_value(json, dice, depth + 1));
    dmd_jsonout_end(json);
    return array;
  }
  dmd_jsonout_object(json, lines ? DMD_JSONOUT_LINES : DMD_JSONOUT_INLINE);
  cJSON *object = cJSON_CreateObject();
  for (size_t i = 0; i < n; i++) {
    char key[32];
    random_key(dice, key, i);
    dmd_jsonout_key(json, key);
    cJSON_AddItemToObject(object, key, random_value(json, dice, depth + 1));
  }
  dmd_jsonout_end(json);
  return object;
}

/* cJSON_Compare ignores the order of members, so the printed form is compared as well. */
static void random_documents(void **state) {
  (void)state;
  dice_t dice = {42};
  size_t longest = 0;
  for (int i = 0; i < 3000; i++) {
    sink_t sink;
    sink_init(&sink);
    dmd_jsonout_t json;
    dmd_jsonout_init(&json, &sink.out);
    cJSON *meant = random_value(&json, &dice, 0);
    const char *text = sink_text(&sink);
    assert_strict_text(text);
    assert_int_equal(text[strlen(text) - 1], '\n');
    cJSON *back = cJSON_ParseWithOpts(text, NULL, true);
    if (back == NULL)
      fail_msg("no JSON: %s", text);
    char *printed_back = cJSON_PrintUnformatted(back), *printed = cJSON_PrintUnformatted(meant);
    assert_string_equal(printed_back, printed);
    if (strlen(text) > longest)
      longest = strlen(text);
    cJSON_free(printed_back);
    cJSON_free(printed);
    cJSON_Delete(back);
    cJSON_Delete(meant);
    sink_free(&sink);
  }
  assert_true(longest > 1000);
}

static void as_deep_as_promised(void **state) {
  (void)state;
  sink_t sink;
  sink_init(&sink);
  dmd_jsonout_t json;
  dmd_jsonout_init(&json, &sink.out);
  for (int i = 0; i < DMD_JSONOUT_DEPTH; i++)
    dmd_jsonout_array(&json, DMD_JSONOUT_INLINE);
  for (int i = 0; i < DMD_JSONOUT_DEPTH; i++)
    dmd_jsonout_end(&json);
  char expected[2 * DMD_JSONOUT_DEPTH + 2];
  memset(expected, '[', DMD_JSONOUT_DEPTH);
  memset(expected + DMD_JSONOUT_DEPTH, ']', DMD_JSONOUT_DEPTH);
  strcpy(expected + 2 * DMD_JSONOUT_DEPTH, "\n");
  assert_text_equal(sink_text(&sink), expected);
  sink_free(&sink);
}

/* Another program's document means the same, and has nothing raw that a terminal obeys. */
static void relays(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"{\"a\": [1, \"b\"]}\n", "{\"a\": [1, \"b\"]}\n"},
      {"{\r\t\"a\":\n2}", "{  \"a\":\n2}"},
      {"[\"\xe2\x80\xae\", \"\xc2\x9b\x7f\"]", "[\"\\u202e\", \"\\u009b\\u007f\"]"},
      {"[\"\\\"\xe2\x80\xa8\\\\\",\t\"\xe2\x81\xa6\"]", "[\"\\\"\\u2028\\\\\", \"\\u2066\"]"},
      {"[\"\xc3\xa4\"]", "[\"\xc3\xa4\"]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sink_t sink;
    sink_init(&sink);
    dmd_jsonout_relay(&sink.out, cases[i][0]);
    assert_string_equal(sink_text(&sink), cases[i][1]);
    cJSON *theirs = cJSON_Parse(cases[i][0]), *ours = cJSON_Parse(sink_text(&sink));
    assert_true(cJSON_Compare(theirs, ours, true));
    cJSON_Delete(theirs);
    cJSON_Delete(ours);
    sink_free(&sink);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layout),
      cmocka_unit_test(numbers_are_whole),
      cmocka_unit_test(every_byte_value),
      cmocka_unit_test(by_hand),
      cmocka_unit_test(random_bytes),
      cmocka_unit_test(longer_than_the_buffer),
      cmocka_unit_test(two_parts_are_one_string),
      cmocka_unit_test(relays),
      cmocka_unit_test(random_documents),
      cmocka_unit_test(as_deep_as_promised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
