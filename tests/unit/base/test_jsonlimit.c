/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Random documents are shortened, and compared with what is left if the same is done to the tree
 * that a third-party parser makes of them. */
#include "host.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "base/jsonlimit.h"

static const char lists[] = "rows,parts";

/* The document in pieces of n bytes, shortened. */
static char *shortened(const char *document, uint32_t most, size_t n) {
  static char result[1 << 16];
  sink_t sink;
  dmd_jsonlimit_t limit;
  sink_init(&sink);
  dmd_jsonlimit_init(&limit, lists, most);
  dmd_out_init(&limit.out, sink.out.write, sink.out.ctx);
  for (size_t at = 0, end = strlen(document); at < end; at += n)
    assert_true(dmd_jsonlimit_write(&limit, document + at, n < end - at ? n : end - at));
  dmd_out_flush(&limit.out);
  strcpy(result, sink_text(&sink));
  sink_free(&sink);
  return result;
}

static void lists_and_what_they_lack(void **state) {
  (void)state;
  const char *document = "{\n"
                         " \"rows\": [\n"
                         "  {\"name\": \"a],[\\\"rows\", \"parts\": [1, 2, 3]},\n"
                         "  {\"name\": \"b\"}\n"
                         " ],\n"
                         " \"frames\": [\"x\", \"y\"]\n"
                         "}\n";
  assert_string_equal(shortened(document, 1, 1000),
                      "{\n"
                      " \"rows\": [\n"
                      "  {\"name\": \"a],[\\\"rows\", \"parts\": [1], \"partsLeftOut\": 2}\n"
                      " ], \"leftOut\": 1,\n"
                      " \"frames\": [\"x\", \"y\"]\n"
                      "}\n");
  assert_string_equal(shortened(document, 3, 1000), document);
}

static void strings_are_not_lists(void **state) {
  (void)state;
  const char *document =
      "{\"rows\":\"[1,2]\",\"a\":\"rows\",\"b\":[\"rows\",[1,2]],\"rowsx\":[1,2],\"row\":[1,2]}";
  assert_string_equal(shortened(document, 1, 1), document);
}

/* ---- Random documents. ---- */

static void write_random(dmd_jsonout_t *json, dice_t *dice, int depth) {
  static const char *const keys[] = {"rows", "parts", "other", "a\\\"[", "leftOutside"};
  dmd_jsonout_layout_t layout = (dmd_jsonout_layout_t)dice_below(dice, 3);
  uint64_t n = dice_below(dice, 6), kind = depth == 6 ? 2 : dice_below(dice, 3);
  if (kind == 0) {
    dmd_jsonout_object(json, layout);
    for (uint64_t i = 0; i < n && i < 5; i++) {
      dmd_jsonout_key_any(json, keys[i]);
      write_random(json, dice, depth + 1);
    }
    dmd_jsonout_end(json);
  } else if (kind == 1) {
    dmd_jsonout_array(json, layout);
    for (uint64_t i = 0; i < n; i++)
      write_random(json, dice, depth + 1);
    dmd_jsonout_end(json);
  } else {
    dmd_jsonout_str(json, keys[dice_below(dice, 5)]);
  }
}

static void shorten_tree(cJSON *node, int most) {
  for (cJSON *kid = node->child; kid != NULL; kid = kid->next)
    shorten_tree(kid, most);
  for (int i = 0; i < 2 && cJSON_IsObject(node); i++) {
    cJSON *list = cJSON_GetObjectItem(node, i == 0 ? "rows" : "parts");
    int n = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    for (int k = n; k > most; k--)
      cJSON_DeleteItemFromArray(list, most);
    if (n > most)
      cJSON_AddNumberToObject(node, i == 0 ? "leftOut" : "partsLeftOut", n - most);
  }
}

static void random_against_a_parser(void **state) {
  (void)state;
  dice_t dice = {35};
  for (int i = 0; i < 3000; i++) {
    sink_t sink;
    dmd_jsonout_t json;
    sink_init(&sink);
    dmd_jsonout_init(&json, &sink.out);
    dmd_jsonout_object(&json, DMD_JSONOUT_LINES);
    dmd_jsonout_key(&json, "rows");
    write_random(&json, &dice, 1);
    dmd_jsonout_end(&json);
    uint32_t most = 1 + (uint32_t)dice_below(&dice, 4);
    cJSON *expected = cJSON_Parse(sink_text(&sink));
    cJSON *got = cJSON_Parse(shortened(sink_text(&sink), most, 1 + (uint32_t)dice_below(&dice, 9)));
    shorten_tree(expected, (int)most);
    assert_non_null(got);
    assert_true(cJSON_Compare(expected, got, true));
    cJSON_Delete(expected);
    cJSON_Delete(got);
    sink_free(&sink);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_and_what_they_lack),
      cmocka_unit_test(strings_are_not_lists),
      cmocka_unit_test(random_against_a_parser),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
