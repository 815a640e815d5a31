/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks are allocated, resized and freed, and reported. */
#include "live_fixture.h"

/* ---- Blocks. ---- */

static void a_block_is_what_was_asked_for(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_DARK_MATTER);
  alloc_in(&f, 3, A, 100, 7);
  const dmd_block_t *a = block_at(&f, A);
  assert_int_equal(a->req, 100);
  assert_int_equal(a->slop, 4); /* glibc: 112 bytes with one word of its own */
  assert_int_equal(a->stack, 7);
  assert_int_equal(a->thread, 3);
  assert_int_equal(a->tag, DMD_NONE);
  assert_int_equal(a->reports, DMD_NONE);
  assert_int_equal(a->flags, 0);
  assert_int_equal(dmd_live_usable_at(&f.live, A), 104);
  assert_int_equal(dmd_live_usable_at(&f.live, A + 1), 0);
  assert_int_equal(dmd_live_usable_at(&f.live, 0), 0);
  live_end(&f);
}

/* Memcheck's figures: 10 rounds of one block of 50 and one of 7, where the last round's small block
 * stays. */
static void malloc_and_free_are_counted(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_LIVE);
  for (int i = 0; i < 10; i++) {
    alloc(&f, A, 50, 1);
    alloc(&f, B, 7, 2);
    assert_int_equal(totals(&f).in_use_szB, 57);
    free_block(&f, A);
    if (i < 9)
      free_block(&f, B);
  }
  assert_int_equal(totals(&f).n_allocs, 20);
  assert_int_equal(totals(&f).n_frees, 19);
  assert_int_equal(totals(&f).alloc_szB, 570);
  assert_int_equal(totals(&f).in_use_szB, 7);
  assert_int_equal(totals(&f).n_blocks, 1);
  live_end(&f);
}

/* A wild free counts as a free, and changes nothing else in the heap. */
static void a_wild_free_changes_nothing(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_LIVE);
  alloc(&f, A, 50, 1);
  assert_int_equal(dmd_live_remove(&f.live, A + 8, DMD_NONE), DMD_REMOVE_FAILED);
  assert_int_equal(dmd_live_remove(&f.live, 0, DMD_NONE), DMD_REMOVE_FAILED);
  assert_int_equal(totals(&f).n_frees, 2);
  assert_int_equal(totals(&f).in_use_szB, 50);
  assert_int_equal(totals(&f).n_blocks, 1);
  live_end(&f);
}

/* A realloc that stays in place: a new size, stack and tag; earlier reports are gone. */
static void resized_in_place(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_DARK_MATTER);
  alloc(&f, A, 50, 1);
  report_from(&f, A, 10);
  dmd_live_push_tag(&f.live, 2, "grown", nowhere);
  dmd_new_block_t now = new_block(&f.live, 2, A, 200, 5);
  dmd_live_resize(&f.live, &now);
  const dmd_block_t *a = block_at(&f, A);
  assert_int_equal(a->req, 200);
  assert_int_equal(a->slop, 0);
  assert_int_equal(a->stack, 5);
  assert_int_equal(a->thread, 2);
  assert_string_equal(tag_of(&f, A), "grown");
  assert_int_equal(a->reports, DMD_NONE);
  assert_int_equal(totals(&f).freed_reported, 1);
  assert_int_equal(totals(&f).n_allocs, 2);
  assert_int_equal(totals(&f).n_frees, 1);
  assert_int_equal(totals(&f).alloc_szB, 250);
  assert_int_equal(totals(&f).in_use_szB, 200);
  assert_int_equal(totals(&f).n_blocks, 1);
  live_end(&f);
}

/* An announced block that changes its size is the same block: reported, and not allocated anew. */
static void announced_and_resized(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_new_block_t block = {
      .addr = A, .req = 50, .usable = 50, .stack = 1, .thread = 1, .flags = DMD_BLOCK_ANNOUNCED};
  dmd_live_add(&f.live, &block);
  report_from(&f, A, 10);
  static const uint64_t sizes[] = {80, 20};
  for (size_t i = 0; i < COUNT_OF(sizes); i++) {
    resize_announced(&f, A, sizes[i]);
    assert_int_equal(dmd_live_usable_at(&f.live, A), sizes[i]);
    assert_int_equal(totals(&f).in_use_szB, sizes[i]);
  }
  assert_int_equal(count_at(&f, A), 1);
  assert_int_equal(block_at(&f, A)->stack, 1);
  assert_int_equal(totals(&f).n_allocs, 1);
  assert_int_equal(totals(&f).n_frees, 0);
  assert_int_equal(totals(&f).alloc_szB, 50);
  assert_int_equal(dmd_live_remove(&f.live, A, DMD_NONE), DMD_REMOVE_DONE);
  live_end(&f);
}

static void a_failed_realloc_is_counted(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_LIVE);
  alloc(&f, A, 50, 1);
  dmd_blocks_count_failed_realloc(f.live.blocks, 1000);
  assert_int_equal(totals(&f).n_allocs, 2);
  assert_int_equal(totals(&f).n_frees, 1);
  assert_int_equal(totals(&f).alloc_szB, 1050);
  assert_int_equal(totals(&f).in_use_szB, 50);
  assert_int_equal(block_at(&f, A)->req, 50);
  live_end(&f);
}

/* A block's record has 15 bits for its thread: later threads share one number. */
static void many_threads(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_LIVE);
  alloc_in(&f, DMD_MAX_THREAD - 1, A, 8, 1);
  alloc_in(&f, DMD_MAX_THREAD + 1, B, 8, 1);
  alloc_in(&f, 1000000, C, 8, 1);
  assert_int_equal(block_at(&f, A)->thread, DMD_MAX_THREAD - 1);
  assert_int_equal(block_at(&f, B)->thread, DMD_MAX_THREAD);
  assert_int_equal(block_at(&f, C)->thread, DMD_MAX_THREAD);
  live_end(&f);
}

/* ---- Reports. ---- */

/* 0, 1, 2 and 3 times, from two places. */
static void reported_again_and_again(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_DARK_MATTER);
  alloc(&f, A, 100, 1);
  alloc(&f, B, 100, 1);
  assert_int_equal(count_at(&f, A), 0);
  report_from(&f, A, 10);
  assert_int_equal(count_at(&f, A), 1);
  report_from(&f, A, 20);
  assert_int_equal(count_at(&f, A), 2);
  report_from(&f, A, 10);
  assert_int_equal(count_at(&f, A), 3);
  assert_int_equal(report_at(&f, A, 0)->stack, 10);
  assert_int_equal(report_at(&f, A, 1)->stack, 20);
  assert_int_equal(count_at(&f, B), 0);
  live_end(&f);
}

static void cleared_and_taken_back(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_DARK_MATTER);
  alloc(&f, A, 100, 1);
  alloc(&f, B, 100, 1);
  alloc(&f, C, 100, 1);
  report_from(&f, A, 10);
  report_from(&f, A, 20);
  assert_int_equal(dmd_live_report(&f.live, 1, B, 30, DMD_REPORT_ON_ALLOC, DMD_NONE), 104);
  report_from(&f, B, 10);
  assert_int_equal(count_at(&f, B), 2);

  dmd_live_clear_reports(&f.live);
  assert_int_equal(count_at(&f, A), 0);
  assert_int_equal(count_at(&f, B), 1); /* by the counting allocator */
  assert_int_equal(report_at(&f, B, 0)->stack, 30);
  assert_int_equal(count_at(&f, C), 0);

  /* Taking back removes all reports, including those on allocation. */
  report_from(&f, A, 20);
  assert_int_equal(dmd_live_unreport(&f.live, 1, A, 9), 104);
  assert_int_equal(dmd_live_unreport(&f.live, 1, B, 9), 104);
  assert_int_equal(dmd_live_unreport(&f.live, 1, C, 9), 104);
  assert_int_equal(dmd_live_unreport(&f.live, 1, 0, 9), 0);
  assert_int_equal(count_at(&f, A), 0);
  assert_int_equal(count_at(&f, B), 0);
  assert_int_equal(n_faults(&f), 0);
  live_end(&f);
}

/* A new block at the address of a reported one is unreported. */
static void an_address_used_again(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_DARK_MATTER);
  alloc(&f, A, 100, 1);
  dmd_live_report(&f.live, 1, A, 30, DMD_REPORT_ON_ALLOC, DMD_NONE);
  free_block(&f, A);
  assert_int_equal(totals(&f).freed_reported, 1);
  alloc(&f, A, 60, 2);
  assert_int_equal(count_at(&f, A), 0);
  assert_int_equal(block_at(&f, A)->stack, 2);
  free_block(&f, A);
  assert_int_equal(totals(&f).freed_reported, 1);
  dmd_live_clear_reports(&f.live);
  assert_int_equal(totals(&f).freed_reported, 0);
  live_end(&f);
}

static void bad_addresses_are_faults(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_DARK_MATTER);
  alloc(&f, A, 100, 1); /* 104 usable */
  dmd_live_begin_reporter(&f.live, 1, "explicit/a", false, nowhere);
  assert_int_equal(dmd_live_report(&f.live, 1, A + 1, 10, 0, DMD_NONE), 0);
  assert_int_equal(dmd_live_report(&f.live, 1, A + 103, 10, 0, DMD_NONE), 0);
  assert_int_equal(dmd_live_report(&f.live, 1, A + 104, 10, 0, DMD_NONE), 0);
  assert_int_equal(dmd_live_report(&f.live, 2, A - 1, 10, DMD_REPORT_ON_ALLOC, DMD_NONE), 0);
  assert_int_equal(dmd_live_report(&f.live, 1, UINT64_MAX, 11, 0, DMD_NONE), 0);
  assert_int_equal(dmd_live_report(&f.live, 1, 0, 10, 0, DMD_NONE), 0); /* as free(NULL) */
  assert_int_equal(count_faults(&f, DMD_FAULT_REPORT_INTERIOR), 2);
  assert_int_equal(count_faults(&f, DMD_FAULT_REPORT_NO_BLOCK), 3);
  assert_int_equal(count_at(&f, A), 0);
  /* Identified by kind, place and the open reporter: the first two are one entry. */
  assert_int_equal(n_faults(&f), 4);
  const dmd_fault_t *first = fault_at(&f, 1);
  assert_int_equal(first->num, 2);
  assert_int_equal(first->stack, 10);
  assert_string_equal(name_of(&f, first->reporter), "explicit/a");
  assert_int_equal(fault_at(&f, 3)->reporter, DMD_NONE); /* thread 2's */
  free_block(&f, A);
  assert_int_equal(dmd_live_report(&f.live, 1, A, 10, 0, DMD_NONE), 0);
  assert_int_equal(count_faults(&f, DMD_FAULT_REPORT_NO_BLOCK), 4);
  live_end(&f);
}

/* Measuring functions work even where no reports are kept. */
static void other_modes_answer_sizes_only(void **state) {
  (void)state;
  static const dmd_mode_t modes[] = {DMD_MODE_LIVE, DMD_MODE_CUMULATIVE, DMD_MODE_SCAN};
  for (size_t i = 0; i < COUNT_OF(modes); i++) {
    live_fixture_t f;
    live_begin(&f, modes[i]);
    alloc(&f, A, 100, 1);
    report_from(&f, A, 10);
    report_from(&f, A, 10);
    assert_int_equal(count_at(&f, A), 0);
    assert_int_equal(dmd_live_report(&f.live, 1, A + 1, 10, 0, DMD_NONE), 0);
    assert_int_equal(dmd_live_report(&f.live, 1, B, 10, DMD_REPORT_ON_ALLOC, DMD_NONE), 0);
    assert_int_equal(n_faults(&f), 0);
    live_end(&f);
  }
}

static void faults_name_the_open_reporter(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_LIVE);
  dmd_live_begin_reporter(&f.live, 4, "explicit/a", false, nowhere);
  assert_true(dmd_live_fault(&f.live, DMD_FAULT_INVALID_FREE, 4, 9));
  assert_false(dmd_live_fault(&f.live, DMD_FAULT_INVALID_FREE, 4, 9));
  assert_true(dmd_live_fault(&f.live, DMD_FAULT_INVALID_FREE, 5, 9));
  assert_int_equal(count_faults(&f, DMD_FAULT_INVALID_FREE), 3);
  assert_int_equal(n_faults(&f), 2);
  live_end(&f);
}

static void use(host_t *host, void *arg) {
  dmd_live_config_t config = {.mode = *(const dmd_mode_t *)arg, .word_szB = 8};
  dmd_live_t live;
  dmd_live_init(&live, &host->env, &config);
  dmd_live_push_tag(&live, 1, "tag", nowhere);
  dmd_live_begin_reporter(&live, 1, "explicit/a", false, nowhere);
  for (uint64_t i = 0; i < 40; i++) {
    dmd_new_block_t block = new_block(&live, 1, i << 20, 100 + i, 1);
    dmd_live_add(&live, &block);
    dmd_live_report(&live, 1, i << 20, (uint32_t)i, i % 2 ? DMD_REPORT_ON_ALLOC : 0, DMD_NONE);
    dmd_live_report(&live, 1, (i << 20) + 1, (uint32_t)i, 0, DMD_NONE);
  }
  dmd_live_remove(&live, 5 << 20, DMD_NONE);
  dmd_live_clear_reports(&live);
  dmd_live_destroy(&live);
}

static void out_of_memory(void **state) {
  (void)state;
  static const dmd_mode_t modes[] = {DMD_MODE_DARK_MATTER, DMD_MODE_CUMULATIVE};
  for (size_t i = 0; i < COUNT_OF(modes); i++)
    assert_true(host_fail_everywhere(use, (void *)&modes[i]) > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_is_what_was_asked_for),
      cmocka_unit_test(malloc_and_free_are_counted),
      cmocka_unit_test(a_wild_free_changes_nothing),
      cmocka_unit_test(resized_in_place),
      cmocka_unit_test(announced_and_resized),
      cmocka_unit_test(a_failed_realloc_is_counted),
      cmocka_unit_test(many_threads),
      cmocka_unit_test(reported_again_and_again),
      cmocka_unit_test(cleared_and_taken_back),
      cmocka_unit_test(an_address_used_again),
      cmocka_unit_test(bad_addresses_are_faults),
      cmocka_unit_test(other_modes_answer_sizes_only),
      cmocka_unit_test(faults_name_the_open_reporter),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
