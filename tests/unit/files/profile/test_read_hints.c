/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Hints about traces that become one stack once the file is read.
 */
#include "host.h"

#include <stdio.h>

#include "dmdv/input/profilefile.h"
#include "host/process.h"

/* Ten blocks of 8 bytes, of two traces that read the same ("1" and "2"), and so do "3" and "4". */
static const char document[] =
    "{\"version\": 5, \"invocation\": {\"dmdEnvVar\": null, \"mode\": \"dark-matter\"},\n"
    "\"blockList\": [{\"req\": 8, \"num\": 5, \"alloc\": \"1\"}, {\"req\": 8, \"num\": 5, "
    "\"alloc\": \"2\"}, {\"req\": 80, \"alloc\": \"3\"}, {\"req\": 80, \"alloc\": \"4\"}],\n"
    "\"traceTable\": {\"1\": [\"a\"], \"2\": [\"a\"], \"3\": [\"b\"], \"4\": [\"b\"]},\n"
    "\"frameTable\": {\"a\": \"#00: node (a.c:1)\", \"b\": \"#00: owner (a.c:2)\"},\n"
    "\"dmd\": {\"advice\": [%s]}}";

typedef struct {
  char text[4096];
  dmd_profile_t profile;
} loaded_t;

static void begin(loaded_t *f, const char *hints) {
  dmd_load_options_t options = {.contents = true};
  dmd_fail_t fail = {.line = 0};
  int n = snprintf(f->text, sizeof f->text, document, hints);
  assert_true(n > 0 && (size_t)n < sizeof f->text);
  dmd_profile_init(&f->profile, &dmdv_env);
  dmdv_input_t *input = dmdv_input_open_memory(f->text, (size_t)n, (size_t)n, &fail);
  assert_non_null(input);
  assert_true(dmdv_load_input(&f->profile, input, &options, &fail));
  dmdv_input_close(input);
}

/* The sum of all hints about this kind of referrer. */
static dmd_hint_t sum_of(const loaded_t *f, dmd_referrer_kind_t kind) {
  dmd_hint_t sum = {0};
  for (uint32_t id = 1; id <= dmd_hints_count(&f->profile.hints); id++)
    if (dmd_hints_at(&f->profile.hints, id)->referrer_kind == kind)
      dmd_hint_count(&sum, dmd_hints_at(&f->profile.hints, id));
  return sum;
}

static void expect(const dmd_hint_t *sum, uint64_t blocks, uint64_t bytes) {
  assert_int_equal(sum->blocks, blocks);
  assert_int_equal(sum->bytes, bytes);
}

static void end(loaded_t *f) {
  dmd_profile_destroy(&f->profile);
}

/* Blocks of two places are different blocks; the other referrers of the kind are the same ones. */
static void of_two_places_they_add_up(void **state) {
  (void)state;
  static loaded_t f;
  begin(&f, "{\"alloc\": \"1\", \"held\": \"reported\", \"reporter\": \"r\", \"at\": \"3\", "
            "\"offset\": 8, "
            "\"blocks\": 5, \"bytes\": 40, \"pointed\": 5, \"holders\": 3, \"holdersAlike\": 6},"
            "{\"alloc\": \"2\", \"held\": \"reported\", \"reporter\": \"r\", \"at\": \"3\", "
            "\"offset\": 8, "
            "\"blocks\": 4, \"bytes\": 32, \"pointed\": 2, \"holders\": 2, \"holdersAlike\": 6}");
  assert_int_equal(dmd_hints_count(&f.profile.hints), 1);
  dmd_hint_t sum = sum_of(&f, DMD_REFERRER_REPORTED);
  expect(&sum, 9, 72);
  assert_int_equal(sum.pointed, 7);
  assert_int_equal(sum.referrers, 5);
  assert_int_equal(sum.referrers_alike, 6);
  end(&f);
}

/* Two places may hold the same blocks: their sum is at most the number of blocks that exist. */
static void of_two_referrers_they_are_no_more_than_all(void **state) {
  (void)state;
  static loaded_t f;
  begin(
      &f,
      "{\"alloc\": \"1\", \"held\": \"unreported\", \"at\": \"3\", \"offset\": 0, \"blocks\": 5, "
      "\"bytes\": 40, \"pointed\": 5, \"holders\": 1, \"holdersAlike\": 1},"
      "{\"alloc\": \"1\", \"held\": \"unreported\", \"at\": \"4\", \"offset\": 0, \"blocks\": 5, "
      "\"bytes\": 40, \"pointed\": 5, \"holders\": 1, \"holdersAlike\": 1},"
      "{\"alloc\": \"2\", \"held\": \"unreported\", \"at\": \"3\", \"offset\": 16, \"blocks\": 5, "
      "\"bytes\": 40, \"pointed\": 5, \"holders\": 1, \"holdersAlike\": 1}");
  dmd_hint_t sum = sum_of(&f, DMD_REFERRER_UNREPORTED);
  expect(&sum, 10, 80);
  assert_int_equal(sum.referrers, 2);
  assert_int_equal(sum.referrers_alike, 2);
  end(&f);
}

#define A_LIST                                                                                     \
  "{\"alloc\": \"1\", \"held\": \"reported\", \"reporter\": \"r\", \"at\": \"3\", \"offset\": 0, " \
  "\"blocks\": 1, \"bytes\": 8, \"pointed\": 1, \"holders\": 1, \"holdersAlike\": 1},"             \
  "{\"alloc\": \"2\", \"held\": \"unreported\", \"at\": \"1\", \"offset\": 0, \"blocks\": 5, "     \
  "\"bytes\": 40, \"pointed\": 5, \"holders\": 5, \"holdersAlike\": 5},"                           \
  "{\"alloc\": \"1\", \"held\": \"unreported\", \"at\": \"2\", \"offset\": 0, \"blocks\": 4, "     \
  "\"bytes\": 32, \"pointed\": 4, \"holders\": 4, \"holdersAlike\": 5}"

/* A list of nodes of both places, in turn: its owner holds all, and they do not hold each other. */
static void what_hangs_on_likes_is_the_referrer_s(void **state) {
  (void)state;
  static loaded_t f;
  begin(&f, A_LIST);
  dmd_hint_t sum = sum_of(&f, DMD_REFERRER_REPORTED);
  expect(&sum, 10, 80);
  assert_int_equal(sum.pointed, 1);
  sum = sum_of(&f, DMD_REFERRER_UNREPORTED);
  expect(&sum, 0, 0);
  end(&f);
}

/* With two owners the owner of the rest is unknown. */
static void what_hangs_on_likes_may_be_nobody_s(void **state) {
  (void)state;
  static loaded_t f;
  begin(
      &f, A_LIST
      ",{\"alloc\": \"2\", \"held\": \"unreported\", \"at\": \"4\", \"offset\": 0, \"blocks\": 2, "
      "\"bytes\": 16, \"pointed\": 2, \"holders\": 1, \"holdersAlike\": 1}");
  dmd_hint_t sum = sum_of(&f, DMD_REFERRER_REPORTED);
  expect(&sum, 1, 8);
  sum = sum_of(&f, DMD_REFERRER_UNREPORTED);
  expect(&sum, 2, 16);
  end(&f);
}

/* Reporters of the previous period hold nothing now. */
static void the_last_time_nothing_hung_on_anybody(void **state) {
  (void)state;
  static loaded_t f;
  begin(&f, A_LIST ",{\"alloc\": \"2\", \"held\": \"not-run\", \"reporter\": \"s\", \"at\": \"3\", "
                   "\"blocks\": 2, \"bytes\": 16, \"before\": 99}");
  dmd_hint_t sum = sum_of(&f, DMD_REFERRER_NOT_RUN);
  expect(&sum, 2, 16);
  assert_int_equal(sum.before, 99);
  sum = sum_of(&f, DMD_REFERRER_REPORTED);
  expect(&sum, 10, 80);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_two_places_they_add_up),
      cmocka_unit_test(of_two_referrers_they_are_no_more_than_all),
      cmocka_unit_test(what_hangs_on_likes_is_the_referrer_s),
      cmocka_unit_test(what_hangs_on_likes_may_be_nobody_s),
      cmocka_unit_test(the_last_time_nothing_hung_on_anybody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
