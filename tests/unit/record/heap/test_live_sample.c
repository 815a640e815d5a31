/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sampling, and the history of cumulative mode. */
#include "live_fixture.h"

/* ---- Sampling. ---- */

static void plans(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_as(&f, (dmd_live_config_t){.mode = DMD_MODE_LIVE,
                                        .allocator = DMD_ALLOCATOR_EXACT,
                                        .word_szB = 8,
                                        .sample_below = 100});
  int n_sampled = 0;
  for (int i = 0; i < 1000; i++) { /* 600 windows of 100 bytes */
    dmd_plan_t plan = dmd_live_plan(&f.live, 60);
    bool passed = plan.flags == DMD_BLOCK_UNSAMPLED;
    bool twice = plan.flags == (DMD_BLOCK_SAMPLED | DMD_BLOCK_TWICE);
    assert_true(passed || twice || plan.flags == DMD_BLOCK_SAMPLED);
    assert_int_equal(plan.stack, !passed);
    n_sampled += passed ? 0 : twice ? 2 : 1;
    plan = dmd_live_plan(&f.live, 100);
    assert_int_equal(plan.flags, 0);
    assert_true(plan.stack);
  }
  assert_int_equal(n_sampled, 600);
  live_end(&f);
}

/* Sampled or not, a block can be found, measured, freed and counted. */
static void blocks_passed_over_are_still_there(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_as(&f, (dmd_live_config_t){.mode = DMD_MODE_DARK_MATTER,
                                        .allocator = DMD_ALLOCATOR_EXACT,
                                        .word_szB = 8,
                                        .sample_below = 1000});
  alloc(&f, A, 60, 1);
  assert_int_equal(block_at(&f, A)->flags, DMD_BLOCK_UNSAMPLED);
  assert_int_equal(dmd_live_report(&f.live, 1, A, 10, 0, DMD_NONE), 60);
  assert_int_equal(dmd_live_report(&f.live, 1, A + 59, 10, 0, DMD_NONE), 0);
  assert_int_equal(count_faults(&f, DMD_FAULT_REPORT_INTERIOR), 1);
  assert_int_equal(totals(&f).in_use_szB, 60);
  free_block(&f, A);
  assert_int_equal(totals(&f).n_frees, 1);
  live_end(&f);
}

/* A stack that stands for N bytes is as likely as that of a block of N bytes: with partial stacks
 * and N = 2,000, 99.75% of the blocks kept have one. */
static void a_kept_block_gets_a_stack_by_what_it_stands_for(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_as(&f, (dmd_live_config_t){.mode = DMD_MODE_LIVE,
                                        .allocator = DMD_ALLOCATOR_EXACT,
                                        .word_szB = 8,
                                        .partial_stacks = true,
                                        .sample_below = 2000});
  int n_kept = 0, n_stacks = 0;
  for (int i = 0; i < 2000000; i++) {
    dmd_plan_t plan = dmd_live_plan(&f.live, 10);
    n_kept += plan.flags == DMD_BLOCK_SAMPLED;
    n_stacks += plan.stack;
  }
  assert_int_equal(n_kept, 10000);
  /* 24.6 without one are expected, with a standard deviation of 5; by their own 10 bytes, 9,700
   * would be without. */
  assert_in_range(n_kept - n_stacks, 1, 60);
  live_end(&f);
}

/* ---- Cumulative mode. ---- */

static void history_counts_what_ever_was(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_CUMULATIVE);
  for (int i = 0; i < 1000; i++) {
    alloc(&f, A, 100, 1);
    if (i % 4 == 0)
      alloc(&f, B, 8, 2);
    free_block(&f, A);
    if (i % 4 == 0)
      free_block(&f, B);
  }
  alloc(&f, A, 100, 1);
  dmd_new_block_t now = new_block(&f.live, 1, A, 300, 3);
  dmd_live_resize(&f.live, &now);
  assert_int_equal(n_in_history(&f), 3);
  const dmd_group_t *g = history_at(&f, 1);
  assert_true(g->req == 100 && g->slop == 4 && g->num == 1001 && g->stack == 1);
  g = history_at(&f, 2);
  assert_true(g->req == 8 && g->slop == 16 && g->num == 250 && g->stack == 2);
  g = history_at(&f, 3);
  assert_true(g->req == 300 && g->slop == 12 && g->num == 1 && g->stack == 3);
  assert_int_equal(totals(&f).n_blocks, 1);
  live_end(&f);
}

static void history_of_samples(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_as(&f, (dmd_live_config_t){.mode = DMD_MODE_CUMULATIVE,
                                        .allocator = DMD_ALLOCATOR_EXACT,
                                        .word_szB = 8,
                                        .sample_below = 1000});
  for (int i = 0; i < 995; i++) { /* 9,950 bytes */
    alloc(&f, A, 10, 1);
    free_block(&f, A);
  }
  alloc(&f, A, 1000, 1);
  assert_int_equal(n_in_history(&f), 2);
  const dmd_group_t *g = history_at(&f, 1);
  assert_true(g->req == 1000 && g->slop == 0 && g->num - 9 <= 1 && g->sampled);
  g = history_at(&f, 2);
  assert_true(g->req == 1000 && g->num == 1 && !g->sampled);
  live_end(&f);
}

static void no_history_elsewhere(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_DARK_MATTER);
  alloc(&f, A, 100, 1);
  assert_int_equal(n_in_history(&f), 0);
  live_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plans),
      cmocka_unit_test(blocks_passed_over_are_still_there),
      cmocka_unit_test(a_kept_block_gets_a_stack_by_what_it_stands_for),
      cmocka_unit_test(history_counts_what_ever_was),
      cmocka_unit_test(history_of_samples),
      cmocka_unit_test(no_history_elsewhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
