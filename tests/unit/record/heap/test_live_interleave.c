/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Guards in coroutines that take turns on one thread. */
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

static void begin_in_coroutine(live_fixture_t *f, uint32_t thread, const char *path, uint64_t ip,
                               uint64_t guard) {
  dmd_place_t place = by(ip, guard);
  place.in_coroutine = true;
  dmd_live_begin_reporter(&f->live, thread, path, false, place);
}

static bool end(live_fixture_t *f, uint64_t claimed, uint64_t guard) {
  return dmd_live_end_reporter(&f->live, 1, claimed, 11,
                               (dmd_scope_end_t){.place = by(MAIN, guard)});
}

/* The guard that began first ends first, and each has its own reports. */
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

/* The claim may or may not include what others measured in the meantime. */
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

/* A reporter that was always in force is judged, and so is one that nothing disturbed. */
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

/* A coroutine that continues after the end of the plain reporter within which it began. */
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

/* A guard on the stack within another one, whose part of the stack is gone, was left, as without
 * coroutines, whatever coroutine is open. */
static void left_beside_a_coroutine(void **state) {
  (void)state;
  live_fixture_t f;
  begin_with_blocks(&f);
  begin(&f, "explicit/plain", MAIN, SP + 8);
  f.on_stack = in_first;
  begin(&f, "explicit/first", FIRST, FRAME);
  f.on_stack = in_main;
  dmd_place_t further_in = {.ip = SECOND, .sp = SP - 64, .guard = SP - 16, .stack = 1000 + SECOND};
  dmd_live_begin_reporter(&f.live, 1, "explicit/left", false, further_in);
  assert_true(end(&f, 0, SP + 8));
  expected_t expected = {.fault = {.kind = DMD_FAULT_SCOPE_LEFT_OPEN, .stack = 1000 + SECOND},
                         .scope = "explicit/left"};
  expect(&f, 1, 1, &expected);
  assert_int_equal(open_reporters(&f, 1), 1);
  f.on_stack = in_first;
  assert_true(end(&f, 0, FRAME));
  assert_int_equal(n_faults(&f), 1);
  live_end(&f);
}

/* Nested guards of one coroutine lie in one frame and are recognised. Guards of two instances look
 * alike, so the one that began last is in force. */
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

/* Without names of functions it is unknown which scope is in force. */
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

/* ---- Frames on the stack. ---- */

/* The compiler put the coroutines' frames on main's: each ends in its turn. */
static void frames_on_the_stack(void **state) {
  (void)state;
  live_fixture_t f;
  begin_with_blocks(&f);
  f.on_stack = in_first;
  begin_in_coroutine(&f, 1, "explicit/first", FIRST, SP + 100);
  f.on_stack = in_second;
  begin_in_coroutine(&f, 1, "explicit/second", SECOND, SP + 200);
  f.on_stack = in_first;
  report(&f, A, 10);
  assert_true(end(&f, 104, SP + 100));
  f.on_stack = in_second;
  report(&f, B, 10);
  assert_true(end(&f, 208, SP + 200));
  assert_string_equal(reporter_of(&f, A, 0), "explicit/first");
  assert_string_equal(reporter_of(&f, B, 0), "explicit/second");
  expect_none(&f);
  live_end(&f);
}

/* They began as parts of main. When the other one ends while this one is open, it is clear that it
 * is not. */
static void frames_that_look_like_mains(void **state) {
  (void)state;
  live_fixture_t f;
  begin_with_blocks(&f);
  begin(&f, "explicit/first", MAIN, SP + 100);
  report(&f, A, 10);
  begin(&f, "explicit/second", MAIN, SP + 200);
  assert_true(end(&f, 7, SP + 100)); /* others were open within it: not judged */
  assert_int_equal(open_reporters(&f, 1), 1);
  assert_true(end(&f, 0, SP + 200));
  expect_none(&f);
  live_end(&f);
}

/* A plain function appears to have begun the scope that a coroutine ends. */
static void begun_as_a_part_of_the_caller(void **state) {
  (void)state;
  for (int in_coroutine = 0; in_coroutine < 2; in_coroutine++) {
    live_fixture_t f;
    begin_with_blocks(&f);
    begin(&f, "explicit/first", MAIN, SP + 100);
    report(&f, A, 10);
    dmd_scope_end_t by_guard = {.place = by(FIRST, SP + 100)};
    by_guard.place.in_coroutine = in_coroutine != 0;
    assert_true(dmd_live_end_reporter(&f.live, 1, 7, 11, by_guard));
    assert_int_equal(n_faults(&f), 1 - in_coroutine);
    live_end(&f);
  }
}

/* A coroutine's reports in it may belong to another guard, if there is one that looks plain. */
static void reported_by_a_coroutine(void **state) {
  (void)state;
  for (int other = 0; other < 2; other++)
    for (int coroutine = 0; coroutine < 2; coroutine++) {
      live_fixture_t f;
      begin_with_blocks(&f);
      f.with_coroutine = coroutine ? 10 : 0;
      if (other)
        begin(&f, "explicit/first", MAIN, SP + 100);
      begin(&f, "explicit/plain", MAIN, SP + 8);
      report(&f, A, 9);
      report(&f, B, 10);
      assert_true(end(&f, 7, SP + 8));
      assert_int_equal(n_faults(&f), other && coroutine ? 0 : 1);
      live_end(&f);
    }
}

/* ---- Other threads. ---- */

/* The coroutine goes on in thread 2, which has a reporter of its own; there it reports and ends. */
static void goes_on_in_another_thread(void **state) {
  (void)state;
  live_fixture_t f;
  begin_with_blocks(&f);
  f.on_stack = in_first;
  begin_in_coroutine(&f, 1, "explicit/first", FIRST, FRAME);
  f.on_stack = in_main;
  dmd_live_begin_reporter(&f.live, 2, "explicit/plain", false, by(MAIN, SP + 8));
  dmd_live_report(&f.live, 2, A, 10, 0, DMD_NONE);
  assert_int_equal(open_reporters(&f, 1), 1);
  f.on_stack = in_first;
  dmd_live_report(&f.live, 2, B, 10, 0, DMD_NONE);
  assert_int_equal(open_reporters(&f, 1), 0);
  assert_int_equal(open_reporters(&f, 2), 2);
  assert_true(
      dmd_live_end_reporter(&f.live, 2, 208, 11, (dmd_scope_end_t){.place = by(FIRST, FRAME)}));
  f.on_stack = in_main;
  assert_true(
      dmd_live_end_reporter(&f.live, 2, 104, 11, (dmd_scope_end_t){.place = by(MAIN, SP + 8)}));
  assert_string_equal(reporter_of(&f, A, 0), "explicit/plain");
  assert_string_equal(reporter_of(&f, B, 0), "explicit/first");
  expect_none(&f);
  assert_int_equal(f.live.reporters.n_open, 0);
  assert_int_equal(f.live.reporters.n_in_coroutines, 0);
  live_end(&f);
}

/* Its first thread has ended. A coroutine's scope that never ends is reported at the end. */
static void outlives_its_thread(void **state) {
  (void)state;
  for (int ends = 0; ends < 2; ends++) {
    live_fixture_t f;
    begin_with_blocks(&f);
    f.on_stack = in_first;
    begin_in_coroutine(&f, 3, "explicit/first", FIRST, FRAME);
    dmd_place_t place = by(FIRST, FRAME + 16);
    dmd_live_push_tag(&f.live, 3, "tag", place);
    dmd_live_end_thread(&f.live, 3);
    expect_none(&f);
    assert_true(dmd_live_pop_tag(&f.live, 2, (dmd_scope_end_t){.place = place}));
    if (ends)
      assert_true(
          dmd_live_end_reporter(&f.live, 1, 0, 11, (dmd_scope_end_t){.place = by(FIRST, FRAME)}));
    dmd_live_end_all(&f.live);
    assert_int_equal(count_faults(&f, DMD_FAULT_SCOPE_LEFT_OPEN), 1 - ends);
    assert_int_equal(n_faults(&f), 1 - ends);
    live_end(&f);
  }
}

/* A tag that a coroutine carries may be open at a dump, without having been left. */
static void tags_at_a_dump(void **state) {
  (void)state;
  for (int in_coroutine = 0; in_coroutine < 2; in_coroutine++) {
    live_fixture_t f;
    begin_with_blocks(&f);
    dmd_place_t place = by(FIRST, SP + 100);
    place.in_coroutine = in_coroutine != 0;
    f.left = place.stack;
    dmd_live_push_tag(&f.live, 1, "tag", place);
    dmd_live_check_open(&f.live, 1, 12);
    assert_int_equal(n_faults(&f), 1 - in_coroutine);
    live_end(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_take_turns),
      cmocka_unit_test(one_that_waited_is_not_judged),
      cmocka_unit_test(others_are_judged),
      cmocka_unit_test(outlives_a_plain_reporter),
      cmocka_unit_test(left_beside_a_coroutine),
      cmocka_unit_test(instances_of_one_coroutine),
      cmocka_unit_test(hosts_that_know_less),
      cmocka_unit_test(tags),
      cmocka_unit_test(frames_on_the_stack),
      cmocka_unit_test(frames_that_look_like_mains),
      cmocka_unit_test(begun_as_a_part_of_the_caller),
      cmocka_unit_test(reported_by_a_coroutine),
      cmocka_unit_test(goes_on_in_another_thread),
      cmocka_unit_test(outlives_its_thread),
      cmocka_unit_test(tags_at_a_dump),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
