/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Answers and records for a program with --sample-interval: the engine knows few of its blocks.
 */
#include "engine_fixture.h"

#include <math.h>

#include "record/engine/graphdump.h"
#include "record/engine/observed.h"

enum { BLOCK = 0x100000, OTHER = 0x180000, PASSED_OVER = 0x200000 };

static void begin(engine_fixture_t *f) {
  engine_begin(f);
  engine_give(f, "--sample-interval=4k");
  engine_start(f);
}

/* The weight of a block of the fixture: 41.46 blocks of 100 bytes, 104 usable. */
static double weight(void) {
  return -1 / expm1(-100.0 / 4096);
}

static const dmd_request_number_t measuring[] = {DMD_REQUEST_REPORT, DMD_REQUEST_REPORT_ON_ALLOC,
                                                 DMD_REQUEST_REPORT_SHARED, DMD_REQUEST_UNREPORT,
                                                 DMD_REQUEST_REPORT_NAMED};

static bool is_answered(engine_fixture_t *f, dmd_request_number_t number, uint64_t addr) {
  uint64_t answer;
  return dmd_engine_request(
      &f->engine, &(dmd_request_t){.number = number, .arg = {addr, 104}, .thread = 1}, &answer);
}

/* For blocks that were not sampled the program asks its allocator, and there is no fault. That
 * includes false positives of the Bloom filter, as for an address that shares its counters with a
 * block's. */
static void what_was_passed_over_is_nobodys(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  engine_add_block(&f, BLOCK);
  for (size_t i = 0; i < COUNT_OF(measuring); i++) {
    assert_true(dmd_request_is_passed_over(&f.engine, measuring[i], PASSED_OVER));
    assert_false(is_answered(&f, measuring[i], PASSED_OVER));
    assert_false(is_answered(&f, measuring[i], BLOCK + 8));
    assert_false(dmd_request_is_passed_over(&f.engine, measuring[i], BLOCK));
    assert_true(is_answered(&f, measuring[i], BLOCK));
  }
  assert_false(dmd_request_is_passed_over(&f.engine, DMD_REQUEST_DUMP, PASSED_OVER));
  for (uint32_t id = 1; id <= dmd_faults_count(&f.engine.live.faults); id++)
    assert_int_equal(dmd_faults_at(&f.engine.live.faults, id)->kind, DMD_FAULT_REPORT_MIXED);
  engine_end(&f);
}

/* The Bloom filter has starts of blocks only, so that it says nothing of an interior pointer. */
static void enclosing_blocks_are_searched_for(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  engine_add_block(&f, BLOCK);
  assert_false(dmd_request_is_passed_over(&f.engine, DMD_REQUEST_REPORT_ENCLOSING, BLOCK + 103));
  assert_int_equal(ask(&f, DMD_REQUEST_REPORT_ENCLOSING, BLOCK + 103), 104);
  assert_int_equal(engine_times_reported(&f, BLOCK), 1);
  assert_int_equal(ask(&f, DMD_REQUEST_REPORT_ENCLOSING, BLOCK + 104), 0);
  assert_int_equal(ask(&f, DMD_REQUEST_REPORT_ENCLOSING, PASSED_OVER), 0);
  engine_expect_no_fault(&f);
  engine_end(&f);
}

static void nothing_is_passed_over_without_sampling(void **state) {
  (void)state;
  engine_fixture_t f;
  engine_begin(&f);
  engine_start(&f);
  assert_false(dmd_request_is_passed_over(&f.engine, DMD_REQUEST_REPORT, PASSED_OVER));
  assert_true(is_answered(&f, DMD_REQUEST_REPORT, PASSED_OVER));
  engine_end(&f);
}

/* A sampled block is reported once or twice like any other. */
static void kept_blocks_are_reported(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  engine_add_block(&f, BLOCK);
  assert_int_equal(ask(&f, DMD_REQUEST_REPORT, BLOCK), 104);
  assert_int_equal(ask(&f, DMD_REQUEST_REPORT, BLOCK), 104);
  assert_int_equal(engine_times_reported(&f, BLOCK), 2);
  engine_expect_no_fault(&f);
  engine_end(&f);
}

/* Most of the measured blocks are not sampled. */
static void claims_are_not_judged(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  engine_add_block(&f, BLOCK);
  ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/a");
  ask(&f, DMD_REQUEST_REPORT, BLOCK);
  assert_int_equal(ask(&f, DMD_REQUEST_REPORTER_END, 123456), 0);
  engine_expect_no_fault(&f);
  assert_string_equal(engine_reporter_of(&f, BLOCK), "explicit/a");
  engine_end(&f);
}

/* Within a byte, or a block, of the weight of two blocks, and 0 when they are gone. */
static void sums_are_estimates(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  ask_name(&f, DMD_REQUEST_TAG_PUSH, "t");
  engine_add_block(&f, BLOCK);
  engine_add_block(&f, OTHER);
  assert_in_range(ask_name(&f, DMD_REQUEST_TAG_BYTES, "t"), (uint64_t)(2 * 104 * weight()) - 2,
                  (uint64_t)(2 * 104 * weight()));
  assert_int_equal(ask_name(&f, DMD_REQUEST_TAG_BLOCKS, "t"), 83); /* 82.92 */
  dmd_totals_t totals = dmd_live_totals(&f.engine.live);
  assert_int_equal(totals.n_allocs, 83);
  assert_int_equal(totals.n_blocks, 83);
  assert_int_equal(totals.n_frees, 0);
  assert_in_range(totals.in_use_szB, (uint64_t)(2 * 100 * weight()) - 2,
                  (uint64_t)(2 * 100 * weight()));
  assert_true(dmd_observed_free(&f.engine, 1, BLOCK));
  assert_true(dmd_observed_free(&f.engine, 1, OTHER));
  assert_false(dmd_observed_free(&f.engine, 1, PASSED_OVER));
  assert_int_equal(ask_name(&f, DMD_REQUEST_TAG_BYTES, "t"), 0);
  assert_int_equal(ask_name(&f, DMD_REQUEST_TAG_BLOCKS, "t"), 0);
  totals = dmd_live_totals(&f.engine.live);
  assert_int_equal(totals.n_frees, 83);
  assert_int_equal(totals.n_blocks, 0);
  assert_int_equal(totals.in_use_szB, 0);
  engine_end(&f);
}

/* A reallocated block is in the Bloom filter at its new address. */
static void marks_go_with_blocks(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  engine_add_block(&f, BLOCK);
  dmd_block_t *block = dmd_observed_begin_realloc(&f.engine, BLOCK);
  assert_non_null(block);
  assert_true(dmd_observed_end_realloc(&f.engine, 1, BLOCK, block, OTHER, 200, 208));
  assert_true(dmd_live_passed_over(&f.engine.live, BLOCK));
  assert_false(dmd_live_passed_over(&f.engine.live, OTHER));
  block = dmd_observed_begin_realloc(&f.engine, OTHER);
  dmd_observed_put_back(&f.engine, OTHER, block, 1 << 30);
  assert_false(dmd_live_passed_over(&f.engine.live, OTHER));
  dmd_observed_free(&f.engine, 1, OTHER);
  assert_true(dmd_live_passed_over(&f.engine.live, OTHER));
  engine_end(&f);
}

static void there_is_no_graph(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  assert_int_equal(ask(&f, DMD_REQUEST_GRAPH, 0), 0);
  assert_string_equal(sink_text(&f.h.said),
                      "dmd: no heap graph with --sample-interval, which records few blocks\n");
  assert_int_equal(f.engine.n_dumps, 0);
  engine_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_passed_over_is_nobodys),
      cmocka_unit_test(enclosing_blocks_are_searched_for),
      cmocka_unit_test(nothing_is_passed_over_without_sampling),
      cmocka_unit_test(kept_blocks_are_reported),
      cmocka_unit_test(claims_are_not_judged),
      cmocka_unit_test(sums_are_estimates),
      cmocka_unit_test(marks_go_with_blocks),
      cmocka_unit_test(there_is_no_graph),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
