/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program whose own allocator is observed: what the engine records.
 */
#include "allocation_fixture.h"

#include "record/engine/observed.h"

enum { A = 0x1000, B = 0x2000 };

static uint64_t n_faults(const engine_fixture_t *f) {
  return f->engine.live.faults.pool.last;
}

static void sizes_are_those_of_the_allocator(void **state) {
  (void)state;
  engine_fixture_t f;
  engine_begin(&f);
  engine_start(&f);
  assert_true(dmd_observed_alloc(&f.engine, 1, A, 100, 117));
  expect_block(&f, A, 100, 117);
  assert_int_equal(block_of(&f, A)->stack, f.make);
  assert_true(dmd_observed_alloc(&f.engine, 1, B, 100, 0)); /* it does not know */
  expect_block(&f, B, 100, 100);
  assert_true(dmd_observed_free(&f.engine, 1, A));
  assert_null(dmd_live_find(&f.engine.live, A));
  expect_counts(&f, 2, 1);
  engine_expect_no_fault(&f);
  engine_end(&f);
}

/* A record holds at most 4 GiB of slop. */
static void slop_has_a_limit(void **state) {
  (void)state;
  engine_fixture_t f;
  engine_begin(&f);
  engine_start(&f);
  dmd_observed_alloc(&f.engine, 1, A, 100, UINT64_C(1) << 40);
  expect_block(&f, A, 100, 100 + UINT64_C(0xffffffff));
  engine_end(&f);
}

static void a_free_of_what_is_not_known(void **state) {
  (void)state;
  engine_fixture_t f;
  engine_begin(&f);
  engine_start(&f);
  assert_false(dmd_observed_free(&f.engine, 1, A));
  engine_expect_no_fault(&f);
  dmd_observed_say_invalid_free(&f.engine, 1, A);
  engine_expect_fault(&f, DMD_FAULT_INVALID_FREE, f.make);
  expect_counts(&f, 0, 1);
  engine_end(&f);
}

static void a_block_whose_end_was_not_told(void **state) {
  (void)state;
  engine_fixture_t f;
  engine_begin(&f);
  engine_start(&f);
  assert_true(dmd_observed_alloc(&f.engine, 1, A, 100, 104));
  assert_false(dmd_observed_alloc(&f.engine, 1, A, 200, 200));
  expect_block(&f, A, 200, 200);
  assert_true(dmd_observed_free(&f.engine, 1, A));
  assert_false(dmd_observed_free(&f.engine, 1, A));
  engine_end(&f);
}

/* ---- realloc. ---- */

static void realloc_that_moves(void **state) {
  (void)state;
  engine_fixture_t f;
  engine_begin(&f);
  engine_start(&f);
  dmd_observed_alloc(&f.engine, 1, A, 100, 104);
  ask(&f, DMD_REQUEST_REPORT, A);
  dmd_block_t *old = dmd_observed_begin_realloc(&f.engine, A);
  assert_int_equal(old->req, 100);
  assert_null(dmd_live_find(&f.engine.live, A));
  assert_int_equal(dmd_live_totals(&f.engine.live).in_use_szB, 100);
  assert_true(dmd_observed_end_realloc(&f.engine, 1, A, old, B, 300, 304));
  expect_block(&f, B, 300, 304);
  assert_int_equal(engine_times_reported(&f, B), 0);
  expect_counts(&f, 2, 1);
  assert_int_equal(dmd_live_totals(&f.engine.live).freed_reported, 1);
  const dmd_freed_block_t *freed = dmd_blocks_find_freed(f.engine.live.blocks, A);
  assert_non_null(freed);
  assert_int_equal(freed->freed, f.make);
  engine_end(&f);
}

static void realloc_that_fails(void **state) {
  (void)state;
  engine_fixture_t f;
  engine_begin(&f);
  engine_start(&f);
  ask_name(&f, DMD_REQUEST_TAG_PUSH, "tag");
  dmd_observed_alloc(&f.engine, 1, A, 100, 104);
  ask(&f, DMD_REQUEST_TAG_POP, 0);
  ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "reporter");
  ask(&f, DMD_REQUEST_REPORT, A);
  dmd_block_t *old = dmd_observed_begin_realloc(&f.engine, A);
  assert_null(dmd_live_find(&f.engine.live, A));
  assert_int_equal(ask_name(&f, DMD_REQUEST_TAG_BYTES, "tag"), 104);
  dmd_observed_put_back(&f.engine, A, old, 5000);
  expect_block(&f, A, 100, 104);
  assert_int_equal(engine_times_reported(&f, A), 1);
  assert_string_equal(engine_reporter_of(&f, A), "reporter");
  assert_int_equal(ask_name(&f, DMD_REQUEST_TAG_BYTES, "tag"), 104);
  assert_int_equal(dmd_live_totals(&f.engine.live).freed_reported, 0);
  assert_int_equal(dmd_live_totals(&f.engine.live).in_use_szB, 100);
  assert_int_equal(dmd_live_totals(&f.engine.live).alloc_szB, 5100);
  expect_counts(&f, 2, 1);
  engine_end(&f);
}

static void realloc_of_what_is_not_known(void **state) {
  (void)state;
  engine_fixture_t f;
  engine_begin(&f);
  engine_start(&f);
  assert_null(dmd_observed_begin_realloc(&f.engine, A));
  assert_int_equal(n_faults(&f), 0);
  dmd_observed_say_invalid_realloc(&f.engine, 1, A, 100);
  engine_expect_fault(&f, DMD_FAULT_INVALID_REALLOC, f.make);
  engine_end(&f);
}

/* ---- Without the engine lock. ---- */

static uint32_t stack_now(void *ctx) {
  const dmd_engine_t *engine = ctx;
  return dmd_engine_capture(engine, 1);
}

static void without_the_engine_lock(void **state) {
  (void)state;
  engine_fixture_t f;
  dmd_fastpath_t fastpath = {0};
  engine_begin(&f);
  f.h.engine_host.waiting = &never_waiting;
  engine_start(&f);
  dmd_fastpath_event_t event = {
      .fastpath = &fastpath, .thread = 1, .stack = stack_now, .ctx = &f.engine};
  assert_false(dmd_observed_fast_alloc(&f.engine, &event, A, 100, 117));
  dmd_engine_leave(&f.engine, 1, &fastpath);
  assert_true(dmd_observed_fast_alloc(&f.engine, &event, A, 100, 117));
  expect_block(&f, A, 100, 117);
  assert_int_equal(dmd_live_find(&f.engine.live, A)->stack, f.make);
  dmd_engine_leave(&f.engine, 1, &fastpath);
  assert_false(dmd_observed_fast_alloc(&f.engine, &event, A, 100, 117));
  dmd_block_t *old = dmd_observed_fast_begin_realloc(&f.engine, A);
  assert_true(dmd_observed_fast_end_realloc(&f.engine, &event, A, old, B, 300, 304));
  expect_block(&f, B, 300, 304);
  dmd_engine_leave(&f.engine, 1, &fastpath);
  assert_true(dmd_observed_fast_free(&f.engine, &event, B));
  assert_false(dmd_observed_fast_free(&f.engine, &event, B));
  expect_counts(&f, 2, 2);
  engine_end(&f);
}

/* Rules decide a block's tag, and they belong to the engine. */
static void rules_for_tags_want_the_engine_lock(void **state) {
  (void)state;
  engine_fixture_t f;
  dmd_fastpath_t fastpath = {0};
  engine_begin(&f);
  f.h.engine_host.waiting = &never_waiting;
  engine_give(&f, "--tag-fn=make=t");
  engine_start(&f);
  dmd_fastpath_event_t event = {
      .fastpath = &fastpath, .thread = 1, .stack = stack_now, .ctx = &f.engine};
  dmd_engine_leave(&f.engine, 1, &fastpath);
  assert_false(dmd_observed_fast_alloc(&f.engine, &event, A, 100, 117));
  dmd_observed_alloc(&f.engine, 1, A, 100, 117);
  dmd_engine_leave(&f.engine, 1, &fastpath);
  assert_true(dmd_observed_fast_free(&f.engine, &event, A));
  engine_end(&f);
}

static void sizes_are_wanted_by_reporters(void **state) {
  (void)state;
  engine_fixture_t f;
  dmd_fastpath_t fastpath = {0};
  engine_begin(&f);
  engine_start(&f);
  dmd_engine_leave(&f.engine, 1, &fastpath);
  assert_false(dmd_observed_wants_size(&f.engine, &fastpath));
  ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "reporter");
  dmd_engine_leave(&f.engine, 1, &fastpath);
  assert_true(dmd_observed_wants_size(&f.engine, &fastpath));
  engine_end(&f);
}

static void work(dmd_engine_t *engine) {
  for (uint64_t i = 1; i <= 100; i++)
    dmd_observed_alloc(engine, 1, i * 4096, i, i + 8);
  for (uint64_t i = 1; i <= 100; i += 2) {
    dmd_block_t *old = dmd_observed_begin_realloc(engine, i * 4096);
    if (i % 3 == 0)
      dmd_observed_put_back(engine, i * 4096, old, 10);
    else if (i % 3 == 1)
      dmd_observed_free_by_realloc(engine, 1, i * 4096, old);
    else
      dmd_observed_end_realloc(engine, 1, i * 4096, old, i * 4096 + 64, 5, 5);
  }
  for (uint64_t i = 1; i <= 100; i++)
    dmd_observed_free(engine, 1, i * 4096);
}

static void out_of_memory(void **state) {
  (void)state;
  engine_fixture_t f;
  engine_begin(&f);
  engine_start(&f);
  assert_true(engine_fail_everywhere(&f, work) > 3);
  engine_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_are_those_of_the_allocator),
      cmocka_unit_test(slop_has_a_limit),
      cmocka_unit_test(a_free_of_what_is_not_known),
      cmocka_unit_test(a_block_whose_end_was_not_told),
      cmocka_unit_test(realloc_that_moves),
      cmocka_unit_test(realloc_that_fails),
      cmocka_unit_test(realloc_of_what_is_not_known),
      cmocka_unit_test(without_the_engine_lock),
      cmocka_unit_test(rules_for_tags_want_the_engine_lock),
      cmocka_unit_test(sizes_are_wanted_by_reporters),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
