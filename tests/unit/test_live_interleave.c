/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Guards in coroutines, which take turns on one thread. */
#include "live_fixture.h"

static const dmd_live_config_t dark_matter = {.mode = DMD_MODE_DARK_MATTER};

/* Functions, and the frames of coroutines, which are blocks. */
enum { MAIN = 0x1000, FIRST = 0x2000, SECOND = 0x3000 };
enum { FRAME = 0x40000000, OTHER_FRAME = 0x50000000, SP = 0x9000 };

static const uint64_t in_main[] = {MAIN, 0}, in_first[] = {FIRST, MAIN, 0},
                      in_second[] = {SECOND, MAIN, 0};

static void begin_with_blocks(live_fixture_t *f) {
  live_begin_knowing(f, dark_matter);
  f->on_stack = in_main;
  alloc_sized(f, A, 100, 104, 1);
  alloc_sized(f, B, 200, 208, 1);
  alloc_sized(f, FRAME, 100, 104, 1);
  alloc_sized(f, OTHER_FRAME, 100, 104, 1);
}

static dmd_place_t by(uint64_t ip, uint64_t guard) {
  dmd_place_t place = at(ip, SP);
  place.guard = guard;
  return place;
}

static void begin(live_fixture_t *f, const char *path, uint64_t ip, uint64_t guard) {
  dmd_live_begin_reporter(&f->live, 1, path, false, by(ip, guard));
}

static bool end(live_fixture_t *f, uint64_t claimed, uint64_t guard) {
  return dmd_live_end_reporter(&f->live, 1, claimed, 11,
                               (dmd_scope_end_t){.place = by(MAIN, guard)});
}

/* The one that began first ends first, and each has its own reports. */
static void two_take_turns(void **state) {
  (void)state;
  live_fixture_t f;
  begin_with_blocks(&f);
  f.on_stack = in_first;
  begin(&f, "explicit/first", FIRST, FRAME);
  f.on_stack = in_second;
  begin(&f, "explicit/second", SECOND, OTHER_FRAME);
  f.on_stack = in_first;
  report(&f, A, 10);
  assert_true(end(&f, 104, FRAME));
  f.on_stack = in_second;
  report(&f, B, 10);
  assert_true(end(&f, 208, OTHER_FRAME));
  assert_string_equal(reporter_of(&f, A, 0), "explicit/first");
  assert_string_equal(reporter_of(&f, B, 0), "explicit/second");
  expect_none(&f);
  assert_false(end(&f, 0, FRAME));
  assert_int_equal(open_reporters(&f, 1), 0);
  live_end(&f);
}

/* Its claim may have what others measured in the meantime, or not. */
static void one_that_waited_is_not_judged(void **state) {
  (void)state;
  for (int takes_all = 0; takes_all < 2; takes_all++) {
    live_fixture_t f;
    begin_with_blocks(&f);
    f.on_stack = in_first;
    begin(&f, "explicit/first", FIRST, FRAME);
    report(&f, A, 10);
    f.on_stack = in_second;
    begin(&f, "explicit/second", SECOND, OTHER_FRAME);
    report(&f, B, 10);
    assert_true(end(&f, 208, OTHER_FRAME));
    f.on_stack = in_first;
    assert_true(end(&f, takes_all ? 312 : 104, FRAME));
    expect_none(&f);
    live_end(&f);
  }
}

/* What was always in force is judged; and what nobody disturbed. */
static void others_are_judged(void **state) {
  (void)state;
  live_fixture_t f;
  begin_with_blocks(&f);
  f.on_stack = in_first;
  begin(&f, "explicit/first", FIRST, FRAME);
  f.on_stack = in_main;
  begin(&f, "explicit/plain", MAIN, SP + 8);
  report(&f, A, 10);
  assert_true(end(&f, 7, SP + 8));
  assert_string_equal(reporter_of(&f, A, 0), "explicit/plain");
  assert_int_equal(count_faults(&f, DMD_FAULT_CLAIM), 1);
  f.on_stack = in_first;
  assert_true(end(&f, 7, FRAME));
  begin(&f, "explicit/again", FIRST, FRAME);
  assert_true(end(&f, 7, FRAME));
  assert_int_equal(n_faults(&f), 2);
  assert_string_equal(name_of(&f, fault_at(&f, 1)->reporter), "explicit/plain");
  assert_string_equal(name_of(&f, fault_at(&f, 2)->reporter), "explicit/again");
  live_end(&f);
}

/* A coroutine that goes on after the plain reporter within which it began. */
static void outlives_a_plain_reporter(void **state) {
  (void)state;
  live_fixture_t f;
  begin_with_blocks(&f);
  begin(&f, "explicit/plain", MAIN, 0);
  f.on_stack = in_first;
  begin(&f, "explicit/first", FIRST, FRAME);
  report(&f, A, 10);
  f.on_stack = in_main;
  report(&f, B, 10);
  assert_string_equal(reporter_of(&f, B, 0), "explicit/plain");
  assert_true(end(&f, 208, 0));
  f.on_stack = in_first;
  assert_true(end(&f, 104, FRAME));
  expect_none(&f);
  live_end(&f);
}

/* A guard on the stack within another one is left as ever, whatever coroutine is open. */
static void left_beside_a_coroutine(void **state) {
  (void)state;
  live_fixture_t f;
  begin_with_blocks(&f);
  begin(&f, "explicit/plain", MAIN, SP + 8);
  f.on_stack = in_first;
  begin(&f, "explicit/first", FIRST, FRAME);
  f.on_stack = in_main;
  begin(&f, "explicit/left", MAIN, SP + 16);
  assert_true(end(&f, 0, SP + 8));
  expected_t expected = {.fault = {.kind = DMD_FAULT_SCOPE_LEFT_OPEN, .stack = 1000 + MAIN},
                         .scope = "explicit/left"};
  expect(&f, 1, 1, &expected);
  assert_int_equal(open_reporters(&f, 1), 1);
  f.on_stack = in_first;
  assert_true(end(&f, 0, FRAME));
  assert_int_equal(n_faults(&f), 1);
  live_end(&f);
}

/* Nested guards of one coroutine lie in one frame, and are known; those of two instances are not
 * told apart, and the one begun last counts. */
static void instances_of_one_coroutine(void **state) {
  (void)state;
  live_fixture_t f;
  begin_with_blocks(&f);
  f.on_stack = in_first;
  begin(&f, "explicit/outer", FIRST, FRAME);
  begin(&f, "explicit/inner", FIRST, FRAME + 16);
  report(&f, A, 10);
  assert_true(end(&f, 7, FRAME + 16));
  assert_true(end(&f, 104, FRAME));
  assert_int_equal(n_faults(&f), 1);
  assert_string_equal(name_of(&f, fault_at(&f, 1)->reporter), "explicit/inner");
  begin(&f, "explicit/one", FIRST, FRAME);
  begin(&f, "explicit/two", FIRST, OTHER_FRAME);
  report(&f, B, 10);
  assert_string_equal(reporter_of(&f, B, 0), "explicit/two");
  assert_true(end(&f, 208, FRAME));
  assert_true(end(&f, 0, OTHER_FRAME));
  assert_int_equal(n_faults(&f), 1);
  live_end(&f);
}

/* Without names of functions nobody knows which scope is in force. */
static void hosts_that_know_less(void **state) {
  (void)state;
  live_fixture_t f;
  begin_with_blocks(&f);
  f.on_stack = NULL;
  begin(&f, "explicit/first", FIRST, FRAME);
  begin(&f, "explicit/second", SECOND, OTHER_FRAME);
  report(&f, A, 10);
  assert_true(end(&f, 104, FRAME));
  assert_true(end(&f, 0, OTHER_FRAME));
  expect_none(&f);
  live_end(&f);
}

static void tags(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  f.on_stack = in_first;
  dmd_live_push_tag(&f.live, 1, "first", by(FIRST, FRAME));
  f.on_stack = in_second;
  dmd_live_push_tag(&f.live, 1, "second", by(SECOND, OTHER_FRAME));
  f.on_stack = in_first;
  alloc(&f, A, 10, 5);
  assert_true(dmd_live_pop_tag(&f.live, 1, (dmd_scope_end_t){.place = by(FIRST, FRAME)}));
  f.on_stack = in_main;
  alloc(&f, B, 10, 5);
  f.on_stack = in_second;
  alloc(&f, C, 10, 5);
  assert_true(dmd_live_pop_tag(&f.live, 1, (dmd_scope_end_t){.place = by(SECOND, OTHER_FRAME)}));
  assert_string_equal(tag_of(&f, A), "first");
  assert_int_equal(block_at(&f, B)->tag, DMD_NONE);
  assert_string_equal(tag_of(&f, C), "second");
  assert_int_equal(open_tags(&f, 1), 0);
  expect_none(&f);
  live_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_take_turns),          cmocka_unit_test(one_that_waited_is_not_judged),
      cmocka_unit_test(others_are_judged),       cmocka_unit_test(outlives_a_plain_reporter),
      cmocka_unit_test(left_beside_a_coroutine), cmocka_unit_test(instances_of_one_coroutine),
      cmocka_unit_test(hosts_that_know_less),    cmocka_unit_test(tags),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
