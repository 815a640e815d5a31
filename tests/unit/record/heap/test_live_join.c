/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reporters on which several threads work, and reporters of signal handlers. */
#include "live_fixture.h"

/* ---- Several threads in one reporter. ---- */

static uint64_t report_in(live_fixture_t *f, uint32_t thread, uint64_t addr) {
  return dmd_live_report(&f->live, thread, addr, 30, 0, DMD_NONE);
}

static bool end_with(live_fixture_t *f, uint32_t thread, uint64_t claimed) {
  return dmd_live_end_reporter(&f->live, thread, claimed, 31, innermost);
}

/* Thread 2's measurements count for thread 1's reporter, and must be claimed. */
static void work_of_joined_threads_is_the_reporters(void **state) {
  (void)state;
  for (int claims_all = 0; claims_all < 2; claims_all++) {
    live_fixture_t f;
    live_begin(&f, DMD_MODE_DARK_MATTER);
    alloc_sized(&f, A, 100, 104, 1);
    alloc_sized(&f, B, 50, 56, 1);
    assert_int_equal(dmd_live_reporter_handle(&f.live, 1), 0);
    begin_reporter(&f, "explicit/shared");
    uint64_t handle = dmd_live_reporter_handle(&f.live, 1);
    assert_true(handle != 0);
    assert_true(dmd_live_join_reporter(&f.live, 2, handle, nowhere));
    assert_int_equal(report_in(&f, 1, A), 104);
    assert_int_equal(report_in(&f, 2, B), 56);
    assert_true(dmd_live_leave_reporter(&f.live, 2, innermost));
    assert_string_equal(
        name_of(&f, dmd_reports_at(&f.live.reports, block_at(&f, B)->reports)->report[0].reporter),
        "explicit/shared");
    assert_true(end_with(&f, 1, claims_all ? 160 : 104));
    assert_int_equal(n_faults(&f), !claims_all);
    if (!claims_all)
      assert_int_equal(fault_at(&f, 1)->measured, 160);
    live_end(&f);
  }
}

/* A reporter within a joined one is its child, in whichever thread it runs. */
static void joined_threads_have_reporters_of_their_own(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_DARK_MATTER);
  alloc_sized(&f, A, 100, 104, 1);
  begin_reporter(&f, "explicit/shared");
  assert_true(dmd_live_join_reporter(&f.live, 2, dmd_live_reporter_handle(&f.live, 1), nowhere));
  dmd_live_begin_reporter(&f.live, 2, "explicit/shared/part", false, nowhere);
  report_in(&f, 2, A);
  assert_true(end_with(&f, 2, 104));
  assert_true(dmd_live_leave_reporter(&f.live, 2, innermost));
  assert_true(end_with(&f, 1, 104));
  assert_int_equal(n_faults(&f), 0);
  live_end(&f);
}

static void what_cannot_be_joined_or_left(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_DARK_MATTER);
  alloc_sized(&f, A, 100, 104, 1);
  begin_reporter(&f, "explicit/first");
  uint64_t handle = dmd_live_reporter_handle(&f.live, 1);
  assert_false(dmd_live_join_reporter(&f.live, 2, 0, nowhere));
  assert_true(dmd_live_leave_reporter(&f.live, 2, innermost)); /* of no reporter, but in pairs */
  assert_false(dmd_live_join_reporter(&f.live, 2, handle + 1, nowhere));
  assert_true(dmd_live_leave_reporter(&f.live, 2, innermost));
  assert_false(dmd_live_leave_reporter(&f.live, 1, innermost)); /* its own */
  assert_false(dmd_live_leave_reporter(&f.live, 2, innermost));
  assert_true(dmd_live_join_reporter(&f.live, 2, handle, nowhere));
  assert_false(end_with(&f, 2, 0)); /* another one's */
  assert_true(end_with(&f, 1, 0));
  /* The reporter has ended: thread 2 is in none, and its handle stays invalid even if another one
   * begins. */
  begin_reporter(&f, "explicit/second");
  assert_false(dmd_live_join_reporter(&f.live, 3, handle, nowhere));
  report_in(&f, 2, A);
  assert_true(dmd_live_leave_reporter(&f.live, 2, innermost));
  assert_true(end_with(&f, 1, 0));
  assert_int_equal(n_faults(&f), 0);
  live_end(&f);
}

/* ---- Signal handlers. ---- */

/* The handler measures B, for a reporter or for none; the interrupted code measures A. */
static void a_handler_is_not_within_what_it_interrupted(void **state) {
  (void)state;
  for (int has_reporter = 0; has_reporter < 2; has_reporter++) {
    live_fixture_t f;
    live_begin(&f, DMD_MODE_DARK_MATTER);
    alloc_sized(&f, A, 100, 104, 1);
    alloc_sized(&f, B, 50, 56, 1);
    dmd_live_begin_reporter(&f.live, 1, "explicit/outer", false, at(1, 9000));
    dmd_live_begin_handler(&f.live, 1, 8000);
    if (has_reporter)
      dmd_live_begin_reporter(&f.live, 1, "explicit/handler", false, at(2, 7000));
    report_in(&f, 1, B);
    if (has_reporter)
      assert_true(
          dmd_live_end_reporter(&f.live, 1, 56, 31, (dmd_scope_end_t){.place = at(3, 7000)}));
    dmd_live_end_handler(&f.live, 1);
    report_in(&f, 1, A);
    assert_true(
        dmd_live_end_reporter(&f.live, 1, 104, 31, (dmd_scope_end_t){.place = at(4, 9000)}));
    assert_int_equal(n_faults(&f), 0);
    uint32_t by = dmd_reports_at(&f.live.reports, block_at(&f, B)->reports)->report[0].reporter;
    if (has_reporter)
      assert_string_equal(name_of(&f, by), "explicit/handler");
    else
      assert_int_equal(by, DMD_NONE);
    live_end(&f);
  }
}

static void handlers_interrupt_handlers(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_DARK_MATTER);
  alloc_sized(&f, A, 100, 104, 1);
  begin_reporter(&f, "explicit/a");
  dmd_live_begin_handler(&f.live, 1, 8000);
  begin_reporter(&f, "explicit/b");
  dmd_live_begin_handler(&f.live, 1, 7000);
  begin_reporter(&f, "explicit/c");
  report_in(&f, 1, A);
  assert_true(end_with(&f, 1, 104));
  dmd_live_end_handler(&f.live, 1);
  assert_true(end_with(&f, 1, 0));
  dmd_live_end_handler(&f.live, 1);
  assert_true(end_with(&f, 1, 0));
  assert_false(end_with(&f, 1, 0));
  assert_int_equal(n_faults(&f), 0);
  live_end(&f);
}

/* A jump out of a handler: scopes that the handler had open were left, and those of the interrupted
 * code end as usual. */
static void a_handler_that_jumps(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, (dmd_live_config_t){.mode = DMD_MODE_DARK_MATTER});
  alloc_sized(&f, A, 100, 104, 1);
  dmd_live_begin_reporter(&f.live, 1, "explicit/outer", false, at(0x1010, 9000));
  dmd_live_begin_handler(&f.live, 1, 8000);
  dmd_live_begin_reporter(&f.live, 1, "explicit/handler", false, at(0x2010, 7000));
  report_in(&f, 1, A);
  assert_true(
      dmd_live_end_reporter(&f.live, 1, 0, 31, (dmd_scope_end_t){.place = at(0x1020, 9000)}));
  assert_int_equal(n_faults(&f), 1);
  assert_int_equal(fault_at(&f, 1)->kind, DMD_FAULT_SCOPE_LEFT_OPEN);
  assert_string_equal(name_of(&f, fault_at(&f, 1)->scope), "explicit/handler");
  live_end(&f);
}

/* The program ends in a handler: the interrupted code could not end its scopes. */
static void an_end_within_a_handler(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_DARK_MATTER);
  begin_reporter(&f, "explicit/outer");
  dmd_live_begin_handler(&f.live, 1, 8000);
  dmd_live_end_all(&f.live);
  assert_int_equal(n_faults(&f), 0);
  dmd_live_end_thread(&f.live, 1);
  assert_int_equal(n_faults(&f), 0);
  live_end(&f);
}

/* With a host that reports only where the thread was interrupted, at each event. */
static void handlers_that_are_seen(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_DARK_MATTER);
  alloc_sized(&f, A, 100, 104, 1);
  begin_reporter(&f, "explicit/a");
  dmd_live_see_handler(&f.live, 1, 0);
  dmd_live_see_handler(&f.live, 1, 8000);
  assert_true(dmd_live_is_in_handler(&f.live, 1));
  begin_reporter(&f, "explicit/b");
  dmd_live_see_handler(&f.live, 1, 8000);
  dmd_live_see_handler(&f.live, 1, 7000);
  begin_reporter(&f, "explicit/c");
  report_in(&f, 1, A);
  assert_true(end_with(&f, 1, 104));
  dmd_live_see_handler(&f.live, 1, 8000);
  assert_true(end_with(&f, 1, 0));
  dmd_live_see_handler(&f.live, 1, 0);
  assert_false(dmd_live_is_in_handler(&f.live, 1));
  assert_true(end_with(&f, 1, 0));
  assert_false(end_with(&f, 1, 0));
  assert_int_equal(n_faults(&f), 0);
  live_end(&f);
}

/* Two have ended since the last event, and a third has begun. */
static void handlers_that_nobody_saw_end(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_DARK_MATTER);
  begin_reporter(&f, "explicit/a");
  dmd_live_see_handler(&f.live, 1, 8000);
  begin_reporter(&f, "explicit/b");
  dmd_live_see_handler(&f.live, 1, 7000);
  begin_reporter(&f, "explicit/c");
  dmd_live_see_handler(&f.live, 1, 6000);
  dmd_live_see_handler(&f.live, 1, 0);
  assert_int_equal(n_faults(&f), 2);
  assert_string_equal(name_of(&f, fault_at(&f, 1)->scope), "explicit/c");
  assert_string_equal(name_of(&f, fault_at(&f, 2)->scope), "explicit/b");
  assert_true(end_with(&f, 1, 0));
  live_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(work_of_joined_threads_is_the_reporters),
      cmocka_unit_test(joined_threads_have_reporters_of_their_own),
      cmocka_unit_test(what_cannot_be_joined_or_left),
      cmocka_unit_test(a_handler_is_not_within_what_it_interrupted),
      cmocka_unit_test(handlers_interrupt_handlers),
      cmocka_unit_test(a_handler_that_jumps),
      cmocka_unit_test(an_end_within_a_handler),
      cmocka_unit_test(handlers_that_are_seen),
      cmocka_unit_test(handlers_that_nobody_saw_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
