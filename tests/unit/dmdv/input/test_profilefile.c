/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reader has two ways to read an element of a large list: from the text, if the element has the
 * common shape and is in the buffer as a whole, and from a tree. Input in pieces of two bytes is
 * all read from trees.
 */
#include "host.h"

#include <stdio.h>

#include "dmdv/input/profilefile.h"
#include "files/profile/jsonvalue.h"
#include "files/profile/profilewriter.h"
#include "host/process.h"

enum { ROOM = 1 << 20 };

/* All members that an element can have, and other elements of the common shape. */
static const char *const blocks[] = {
    "{\"req\": 10}",
    "{\"req\": 100, \"slop\": 12, \"alloc\": \"1\", \"num\": 7}",
    "{\"alloc\":\"2\",\"reps\":[\"1\"],\"req\":0}",
    "{\"req\": 1, \"reps\": [\"1\", \"2\"], \"reporters\": [\"explicit/a\", null], \"reports\": 5}",
    "{ \"req\" : 1 , \"reps\" : [ \"2\" ] , \"reporters\" : [ \"explicit/caf\xc3\xa9\" ] }",
    ("{\"req\": 5, \"reps\": [\"1\"], \"sharers\": [{\"at\": \"1\", \"reporter\": \"explicit/a\"}, "
     "{\"at\": \"2\"}]}"),
    "{\"req\": 5, \"tag\": \"\xe2\x82\xac\", \"thread\": 3, \"sampled\": true}",
    "{\"req\": 5, \"later\": {\"a\": [1, -2.5, \"\", null, true, false, {}]}, \"slop\": 3}",
    "{\n\t\"req\": 999999999999999\r\n}",
    "{\"addr\": \"7f00Ab\", \"req\": 17, \"contents\": [\"0\", \"ffffffffffffffff\"]}",
    "{\"contents\" : [ \"1\" ] , \"req\": 5}",
};

static const char before[] = "{\"version\": 5, \"invocation\": {\"dmdEnvVar\": null, \"mode\": "
                             "\"dark-matter\"},\n \"blockList\": [";
static const char behind[] = "],\n \"traceTable\": {\"1\": [\"a\", \"b\"],\n\"2\": [\"b\"]},\n"
                             " \"frameTable\": {\"a\": \"#00: f (a.c:1)\",\n \"b\": \"main\"}}";

static const char ours[] =
    "{\"dmd\": {\"objects\": [{\"path\": \"/l/x.so\", \"frames\": {\"a\": 18, \"c\": null}},\n"
    "{\"frames\": {\"a\": 2, \"b\" : 7 }, \"path\":\"/l/y.so\", \"later\": [1]}, {}], "
    "\"functions\": {\"b\": \"main\", \"c\": \"x\"}}, ";

/* Makes a document of n blocks; returns its length. */
static size_t document(char *text, size_t n) {
  size_t at = (size_t)sprintf(text, "%s%s", ours, before + 1);
  for (size_t i = 0; i < n; i++)
    at += (size_t)sprintf(text + at, "%s%s", i > 0 ? ",\n" : "", blocks[i % COUNT_OF(blocks)]);
  return at + (size_t)sprintf(text + at, "%s", behind);
}

static bool load_with(const dmd_env_t *env, dmd_profile_t *profile, const char *text, size_t n,
                      size_t piece, dmd_fail_t *fail) {
  dmd_load_options_t options = {.contents = true};
  *fail = (dmd_fail_t){.line = 0};
  dmd_profile_init(profile, env);
  dmdv_input_t *input = dmdv_input_open_memory(text, n, piece, fail);
  assert_non_null(input);
  bool good = dmdv_load_input(profile, input, &options, fail);
  dmdv_input_close(input);
  return good;
}

static bool load(dmd_profile_t *profile, const char *text, size_t n, size_t piece,
                 dmd_fail_t *fail) {
  return load_with(&dmdv_env, profile, text, n, piece, fail);
}

/* ---- How many trees are made. ---- */

/* The number of trees made: this program is linked so that the calls come here. */
static size_t n_trees;

const dmd_jsonvalue_t *__real_dmd_jsonvalues_parse(dmd_jsonvalues_t *values, const char *text,
                                                   size_t n, const char **stop);
const dmd_jsonvalue_t *__wrap_dmd_jsonvalues_parse(dmd_jsonvalues_t *values, const char *text,
                                                   size_t n, const char **stop);

const dmd_jsonvalue_t *__wrap_dmd_jsonvalues_parse(dmd_jsonvalues_t *values, const char *text,
                                                   size_t n, const char **stop) {
  n_trees++;
  return __real_dmd_jsonvalues_parse(values, text, n, stop);
}

static size_t trees_for(size_t n_blocks, size_t piece) {
  static char text[ROOM];
  dmd_profile_t profile;
  dmd_fail_t fail;
  n_trees = 0;
  bool good = load(&profile, text, document(text, n_blocks), piece, &fail);
  assert_true(good);
  dmd_profile_destroy(&profile);
  return n_trees;
}

/* Elements of the common shape are read without trees, however many they are. */
static void no_trees(void **state) {
  (void)state;
  size_t few = trees_for(COUNT_OF(blocks), ROOM), many = trees_for(50 * COUNT_OF(blocks), ROOM);
  assert_int_equal(few, many);
  /* The counter works. */
  assert_true(trees_for(50 * COUNT_OF(blocks), 2) > 50 * COUNT_OF(blocks));
}

/* Bytes that trees took. */
static size_t tree_szB;

static void *watching_alloc(void *ctx, const char *cost_centre, size_t szB) {
  if (strcmp(cost_centre, "dmd.load.values") == 0)
    tree_szB += szB;
  return dmdv_env.alloc(ctx, cost_centre, szB);
}

/* How many bytes trees take while a list of this many elements is read. */
static size_t memory_for(const char *list, const char *element, size_t n) {
  static char text[ROOM];
  size_t at = (size_t)sprintf(text, "{\"dmd\": {\"%s\": [", list);
  for (size_t i = 0; i < n; i++)
    at += (size_t)sprintf(text + at, "%s%s", i > 0 ? "," : "", element);
  at += (size_t)sprintf(text + at, "]},%s%s", before + 1, behind);
  dmd_env_t watching = dmdv_env;
  watching.alloc = watching_alloc;
  dmd_profile_t profile;
  dmd_fail_t fail;
  tree_szB = 0;
  assert_true(load_with(&watching, &profile, text, at, 4096, &fail));
  dmd_profile_destroy(&profile);
  return tree_szB;
}

/* The other lists of a profile are read one element at a time. */
static void one_element_at_a_time(void **state) {
  (void)state;
  static const char *const lists[][2] = {
      {"faults", "{\"kind\": \"claim\", \"num\": 1, \"at\": \"1\"}"},
      {"advice", "{\"held\": \"reported\", \"at\": \"1\", \"blocks\": 1, \"bytes\": 8}"},
      {"processes", "{\"process\": \"app\", \"memory\": {\"resident\": 1}}"},
      {"reporterRuns", "{\"reporter\": \"explicit/a\", \"runs\": 1}"},
      {"objects", "{\"path\": \"/l/x.so\", \"frames\": {\"a\": 1, \"b\": 2}}"},
      {"memoryReports",
       "{\"path\": \"a\", \"kind\": \"heap\", \"units\": \"bytes\", \"amount\": 1}"},
  };
  for (size_t i = 0; i < COUNT_OF(lists); i++) {
    size_t few = memory_for(lists[i][0], lists[i][1], 2);
    assert_int_equal(memory_for(lists[i][0], lists[i][1], 2000), few);
    assert_true(few > 0);
  }
  /* Larger elements take more. */
  static char large[4096];
  size_t at = (size_t)sprintf(large, "{\"reporter\": \"a\", \"runs\": 1, \"later\": [");
  for (int i = 0; i < 500; i++)
    at += (size_t)sprintf(large + at, "%s1", i > 0 ? "," : "");
  sprintf(large + at, "]}");
  assert_true(memory_for("reporterRuns", large, 2) > memory_for("reporterRuns", lists[3][1], 2));
}

/* ---- Both ways have the same result. ---- */

static void check_alike(const char *text, size_t n, size_t *n_good) {
  dmd_profile_t quick, slow;
  dmd_fail_t fail_quick, fail_slow;
  bool good = load(&quick, text, n, SIZE_MAX, &fail_quick);
  assert_int_equal(load(&slow, text, n, 2, &fail_slow), good);
  assert_string_equal(fail_quick.reason, fail_slow.reason);
  assert_int_equal(fail_quick.line, fail_slow.line);
  assert_int_equal(fail_quick.byte, fail_slow.byte);
  if (good) {
    sink_t a, b;
    sink_init(&a);
    sink_init(&b);
    dmd_profilewriter_write(&a.out, &quick);
    dmd_profilewriter_write(&b.out, &slow);
    assert_text_equal(sink_text(&a), sink_text(&b));
    sink_free(&b);
    sink_free(&a);
  }
  *n_good += good;
  dmd_profile_destroy(&slow);
  dmd_profile_destroy(&quick);
}

static void both_ways_are_alike(void **state) {
  (void)state;
  static char text[ROOM];
  size_t n_good = 0;
  for (size_t n = 0; n < 3 * COUNT_OF(blocks); n++)
    check_alike(text, document(text, n), &n_good);
  assert_int_equal(n_good, 3 * COUNT_OF(blocks));
}

/* Reads the document in both ways. All thread numbers beyond the last one count as the last one, as
 * they do in the tool. */
static void thread_numbers(void **state) {
  (void)state;
  static const struct {
    const char *in_file;
    unsigned kept;
  } threads[] = {
      {"2", 2}, {"32767", 32767}, {"32768", 32767}, {"65537", 32767}, {"4294967298", 32767}};
  for (size_t i = 0; i < COUNT_OF(threads); i++)
    for (size_t piece = 2; piece > 0; piece = piece == 2 ? SIZE_MAX : 0) {
      char text[1000];
      int n = snprintf(text, sizeof text, "%s{\"req\": 5, \"thread\": %s}%s", before,
                       threads[i].in_file, behind);
      dmd_profile_t profile;
      dmd_fail_t fail;
      assert_true(load(&profile, text, (size_t)n, piece, &fail));
      assert_int_equal(dmd_groups_at(&profile.groups, 1)->thread, threads[i].kept);
      dmd_profile_destroy(&profile);
    }
}

/* Changes that may leave a document's meaning alone, change it, or make it invalid. */
static void changed_documents(void **state) {
  (void)state;
  static char text[ROOM];
  static const char *const parts[] = {"{",
                                      "}",
                                      "[",
                                      "]",
                                      ",",
                                      ":",
                                      "\"",
                                      "\\u0031",
                                      "1",
                                      "0",
                                      "-",
                                      ".5",
                                      "e9",
                                      "null",
                                      "true",
                                      " ",
                                      "\n",
                                      "\x01",
                                      "\xff",
                                      "\xc3\xa9",
                                      "\"req\": 3,",
                                      "\"1\"",
                                      "\"slop\"",
                                      "\"num\": 0,",
                                      "\"reps\"",
                                      "\"at\"",
                                      "99999999999999999999",
                                      "\"addr\": \"f00\",",
                                      "\"contents\": [\"f\", \"0\"],",
                                      "\"fg\",",
                                      "\"path\"",
                                      "\"frames\"",
                                      "\"sampled\": false,"};
  dice_t dice = {4};
  size_t n_good = 0, rounds = 20000;
  for (size_t round = 0; round < rounds; round++) {
    size_t n = document(text, COUNT_OF(blocks));
    for (uint64_t i = 0, n_changes = 1 + dice_below(&dice, 2); i < n_changes; i++) {
      const char *part = parts[dice_below(&dice, COUNT_OF(parts))];
      size_t n_part = strlen(part), at = dice_below(&dice, n - 32);
      size_t n_out = dice_below(&dice, 3) == 0 ? 0 : dice_below(&dice, 16);
      memmove(text + at + n_part, text + at + n_out, n - at - n_out);
      memcpy(text + at, part, n_part);
      n += n_part - n_out;
    }
    check_alike(text, n, &n_good);
  }
  assert_in_range(n_good, rounds / 100, rounds / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_trees),
      cmocka_unit_test(one_element_at_a_time),
      cmocka_unit_test(both_ways_are_alike),
      cmocka_unit_test(thread_numbers),
      cmocka_unit_test(changed_documents),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
