/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live_fixture.h"

#include "record/heap/fastpath.h"

static dmd_live_config_t config_of(dmd_mode_t mode) {
  return (dmd_live_config_t){
      .mode = mode, .n_shards = 8, .waiting = &never_waiting, .freed_blocks = 4};
}

/* The end of an event that held the engine's lock. */
static void leave(live_fixture_t *f, uint32_t thread, dmd_fastpath_t *fastpath) {
  dmd_live_refresh(&f->live, thread, fastpath);
  dmd_blocks_let_go(f->live.blocks);
}

static dmd_new_block_t block(uint64_t addr, uint32_t thread) {
  return (dmd_new_block_t){.addr = addr, .req = 10, .usable = 24, .stack = 5, .thread = thread};
}

static bool add(live_fixture_t *f, dmd_fastpath_t *fastpath, uint64_t addr, uint32_t thread) {
  dmd_new_block_t new_block = block(addr, thread);
  return dmd_live_fast_add(&f->live, fastpath, &new_block);
}

static void a_block_comes_and_goes(void **state) {
  (void)state;
  live_fixture_t f;
  dmd_fastpath_t fastpath = {0};
  live_begin_as(&f, config_of(DMD_MODE_DARK_MATTER));
  assert_false(dmd_live_is_fast(&f.live, &fastpath));
  leave(&f, 1, &fastpath);
  assert_true(dmd_live_is_fast(&f.live, &fastpath));
  dmd_plan_t plan = dmd_live_fast_plan(&f.live, &fastpath, 24);
  assert_true(plan.stack && plan.flags == 0);
  assert_true(add(&f, &fastpath, A, 1));
  assert_false(add(&f, &fastpath, A, 1));
  assert_int_equal(block_at(&f, A)->stack, 5);
  assert_int_equal(totals(&f).n_allocs, 1);
  dmd_blocks_let_go(f.live.blocks);
  assert_true(dmd_live_fast_remove(&f.live, &fastpath, A, 6));
  assert_false(dmd_live_fast_remove(&f.live, &fastpath, A, 6));
  assert_int_equal(totals(&f).n_frees, 1);
  assert_int_equal(totals(&f).n_blocks, 0);
  live_end(&f);
}

static void reported_and_announced_ones_go_the_long_way(void **state) {
  (void)state;
  live_fixture_t f;
  dmd_fastpath_t fastpath = {0};
  live_begin_as(&f, config_of(DMD_MODE_DARK_MATTER));
  leave(&f, 1, &fastpath);
  assert_true(add(&f, &fastpath, A, 1));
  assert_false(dmd_live_wants_stack_of_free(&f.live));
  report(&f, A, 7);
  assert_true(dmd_live_wants_stack_of_free(&f.live));
  dmd_new_block_t announced = block(B, 1);
  announced.flags = DMD_BLOCK_ANNOUNCED;
  dmd_live_add(&f.live, &announced);
  leave(&f, 1, &fastpath);
  assert_false(dmd_live_fast_remove(&f.live, &fastpath, A, 6));
  assert_false(dmd_live_fast_remove(&f.live, &fastpath, B, 6));
  assert_null(dmd_live_fast_begin_move(&f.live, A));
  assert_null(dmd_live_fast_begin_move(&f.live, B));
  assert_int_equal(totals(&f).n_blocks, 2);
  live_end(&f);
}

static void a_realloc_moves_a_block(void **state) {
  (void)state;
  live_fixture_t f;
  dmd_fastpath_t fastpath = {0};
  live_begin_as(&f, config_of(DMD_MODE_LIVE));
  dmd_live_push_tag(&f.live, 1, "t", nowhere);
  leave(&f, 1, &fastpath);
  assert_true(add(&f, &fastpath, A, 1));
  dmd_block_t *moving = dmd_live_fast_begin_move(&f.live, A);
  assert_non_null(moving);
  dmd_new_block_t now = block(C, 1);
  now.req = 20;
  assert_true(dmd_live_fast_end_move(&f.live, &fastpath, A, moving, &now));
  assert_null(dmd_live_find(&f.live, A));
  assert_int_equal(block_at(&f, C)->req, 20);
  expect_sum(&f, "t", 24, 1);
  assert_int_equal(totals(&f).n_allocs, 2);
  assert_int_equal(totals(&f).n_frees, 1);
  assert_int_equal(totals(&f).in_use_szB, 20);
  live_end(&f);
}

static void it_bears_the_tag_of_its_thread(void **state) {
  (void)state;
  live_fixture_t f;
  dmd_fastpath_t one = {0}, two = {0};
  live_begin_as(&f, config_of(DMD_MODE_DARK_MATTER));
  dmd_live_push_tag(&f.live, 1, "first", nowhere);
  leave(&f, 1, &one);
  dmd_live_push_tag(&f.live, 2, "second", nowhere);
  leave(&f, 2, &two);
  assert_true(add(&f, &one, A, 1));
  assert_true(add(&f, &two, B, 2));
  assert_string_equal(tag_of(&f, A), "first");
  assert_string_equal(tag_of(&f, B), "second");
  dmd_live_pop_tag(&f.live, 1, innermost);
  leave(&f, 1, &one);
  assert_true(add(&f, &one, C, 1));
  assert_string_equal(tag_of(&f, C), "");
  expect_sum(&f, "second", 24, 1);
  live_end(&f);
}

/* A guard that lies on its thread's stack, and ends in another thread. */
static void a_tag_that_another_thread_ends(void **state) {
  (void)state;
  live_fixture_t f;
  dmd_fastpath_t one = {0}, two = {0};
  live_begin_as(&f, config_of(DMD_MODE_DARK_MATTER));
  dmd_place_t place = at(0x100, 0x7000);
  place.guard = 0x7008;
  dmd_live_push_tag(&f.live, 1, "t", place);
  leave(&f, 1, &one);
  leave(&f, 2, &two);
  assert_true(dmd_live_is_fast(&f.live, &one));
  dmd_scope_end_t scope_end = {.place = place};
  assert_true(dmd_live_pop_tag(&f.live, 2, scope_end));
  leave(&f, 2, &two);
  assert_false(dmd_live_is_fast(&f.live, &one));
  assert_true(dmd_live_is_fast(&f.live, &two));
  leave(&f, 1, &one);
  assert_true(add(&f, &one, A, 1));
  assert_string_equal(tag_of(&f, A), "");
  live_end(&f);
}

/* A coroutine may carry its scope to any thread. */
static void coroutines_with_tags(void **state) {
  (void)state;
  live_fixture_t f;
  dmd_fastpath_t one = {0}, two = {0};
  live_begin_as(&f, config_of(DMD_MODE_DARK_MATTER));
  leave(&f, 1, &one);
  dmd_place_t place = at(0x100, 0x7000);
  place.guard = 0x50008;
  place.in_coroutine = true;
  dmd_live_push_tag(&f.live, 2, "t", place);
  leave(&f, 2, &two);
  assert_false(dmd_live_is_fast(&f.live, &one));
  assert_false(dmd_live_is_fast(&f.live, &two));
  leave(&f, 1, &one);
  assert_false(dmd_live_is_fast(&f.live, &one));
  assert_true(dmd_live_pop_tag(&f.live, 2, (dmd_scope_end_t){.place = place}));
  leave(&f, 2, &two);
  leave(&f, 1, &one);
  assert_true(dmd_live_is_fast(&f.live, &one));
  live_end(&f);
}

static void modes_and_owners_that_want_no_such_way(void **state) {
  (void)state;
  live_fixture_t f;
  dmd_fastpath_t fastpath = {0};
  live_begin_as(&f, config_of(DMD_MODE_CUMULATIVE));
  leave(&f, 1, &fastpath);
  assert_false(dmd_live_is_fast(&f.live, &fastpath));
  live_end(&f);
  dmd_live_config_t config = config_of(DMD_MODE_LIVE);
  config.no_fast_path = true;
  live_begin_as(&f, config);
  leave(&f, 1, &fastpath);
  assert_false(dmd_live_is_fast(&f.live, &fastpath));
  live_end(&f);
}

static void an_open_reporter_wants_to_know_of_sizes(void **state) {
  (void)state;
  live_fixture_t f;
  dmd_fastpath_t fastpath = {0};
  live_begin_as(&f, config_of(DMD_MODE_DARK_MATTER));
  leave(&f, 1, &fastpath);
  assert_false(fastpath.has_claim);
  begin_reporter(&f, "r");
  leave(&f, 1, &fastpath);
  assert_true(fastpath.has_claim);
  end_reporter(&f, 0, 1);
  leave(&f, 1, &fastpath);
  assert_false(fastpath.has_claim);
  live_end(&f);
}

/* In each window of 1,000 bytes one block stands for all, in every thread. */
static void each_thread_samples(void **state) {
  (void)state;
  enum { N_BLOCKS = 5000, N_THREADS = 3 };
  live_fixture_t f;
  dmd_live_config_t config = config_of(DMD_MODE_LIVE);
  config.sample_below = 1000;
  config.seed = 12;
  live_begin_as(&f, config);
  uint32_t first[N_THREADS];
  for (uint32_t thread = 0; thread < N_THREADS; thread++) {
    dmd_fastpath_t fastpath = {0};
    leave(&f, thread + 1, &fastpath);
    uint64_t stands = 0;
    first[thread] = N_BLOCKS;
    for (uint32_t i = 0; i < N_BLOCKS; i++) {
      dmd_plan_t plan = dmd_live_fast_plan(&f.live, &fastpath, 24);
      stands += plan.flags & DMD_BLOCK_TWICE ? 2 : plan.flags & DMD_BLOCK_SAMPLED ? 1 : 0;
      if ((plan.flags & DMD_BLOCK_SAMPLED) && first[thread] == N_BLOCKS)
        first[thread] = i;
      leave(&f, thread + 1, &fastpath); /* the sampler goes on */
    }
    assert_in_range(stands, N_BLOCKS * 24 / 1000 - 1, N_BLOCKS * 24 / 1000 + 1);
  }
  assert_true(first[0] != first[1] || first[1] != first[2]);
  live_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_comes_and_goes),
      cmocka_unit_test(reported_and_announced_ones_go_the_long_way),
      cmocka_unit_test(a_realloc_moves_a_block),
      cmocka_unit_test(it_bears_the_tag_of_its_thread),
      cmocka_unit_test(a_tag_that_another_thread_ends),
      cmocka_unit_test(coroutines_with_tags),
      cmocka_unit_test(modes_and_owners_that_want_no_such_way),
      cmocka_unit_test(an_open_reporter_wants_to_know_of_sizes),
      cmocka_unit_test(each_thread_samples),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
