/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reporters and tags of threads, and the sums of tags. */
#include "live_fixture.h"

#include <stdio.h>

/* ---- Scopes. ---- */

static void reports_bear_the_innermost_reporter(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_DARK_MATTER);
  alloc(&f, A, 8, 1);
  alloc(&f, B, 8, 1);
  alloc(&f, C, 8, 1);
  char path[] = "explicit/outer";
  assert_int_equal(dmd_live_begin_reporter(&f.live, 1, path, false, nowhere), 1);
  memset(path, 'x', sizeof path - 1); /* it was copied */
  assert_int_equal(dmd_live_begin_reporter(&f.live, 1, "explicit/outer/inner", false, nowhere), 2);
  report_from(&f, A, 10);
  assert_true(dmd_live_abandon_reporter(&f.live, 1, innermost));
  report_from(&f, A, 10);
  dmd_live_report(&f.live, 2, B, 10, 0, DMD_NONE); /* another thread is in none */
  uint32_t named = id_of_name(&f, "explicit/named");
  dmd_live_report(&f.live, 1, B, 10, 0, named); /* an explicit name takes precedence */
  assert_true(dmd_live_abandon_reporter(&f.live, 1, innermost));
  report_from(&f, C, 10);
  assert_false(dmd_live_abandon_reporter(&f.live, 1, innermost));
  assert_string_equal(reporter_of(&f, A, 0), "explicit/outer/inner");
  assert_string_equal(reporter_of(&f, A, 1), "explicit/outer");
  assert_string_equal(reporter_of(&f, B, 0), "");
  assert_string_equal(reporter_of(&f, B, 1), "explicit/named");
  assert_string_equal(reporter_of(&f, C, 0), "");
  live_end(&f);
}

static void blocks_bear_the_innermost_tag(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_LIVE);
  static const char *const expected[] = {"", "outer", "inner", "outer", "", "", "again"};
  uint64_t addr = A;
  alloc(&f, addr, 8, 1);
  assert_int_equal(dmd_live_push_tag(&f.live, 1, "outer", nowhere), 1);
  alloc(&f, addr += 64, 8, 1);
  assert_int_equal(dmd_live_push_tag(&f.live, 1, "inner", nowhere), 2);
  alloc(&f, addr += 64, 8, 1);
  alloc_in(&f, 2, B, 8, 1); /* another thread has no tag */
  assert_true(dmd_live_pop_tag(&f.live, 1, innermost));
  alloc(&f, addr += 64, 8, 1);
  assert_true(dmd_live_pop_tag(&f.live, 1, innermost));
  alloc(&f, addr += 64, 8, 1);
  assert_false(dmd_live_pop_tag(&f.live, 1, innermost)); /* one pop too many */
  alloc(&f, addr += 64, 8, 1);
  assert_int_equal(dmd_live_push_tag(&f.live, 1, "again", nowhere), 1);
  alloc(&f, addr += 64, 8, 1);
  for (size_t i = 0; i < COUNT_OF(expected); i++)
    assert_string_equal(tag_of(&f, A + 64 * i), expected[i]);
  assert_string_equal(tag_of(&f, B), "");
  live_end(&f);
}

/* Thread numbers are used again: a new thread does not inherit open scopes of a dead one. */
static void a_thread_that_ends_closes_its_scopes(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_live_push_tag(&f.live, 2, "tag", nowhere);
  dmd_live_begin_reporter(&f.live, 2, "explicit/a", false, nowhere);
  dmd_live_push_tag(&f.live, 3, "other", nowhere);
  dmd_live_end_thread(&f.live, 2);
  dmd_live_end_thread(&f.live, 99);
  alloc_in(&f, 2, A, 8, 1);
  alloc_in(&f, 3, B, 8, 1);
  dmd_live_report(&f.live, 2, A, 10, 0, DMD_NONE);
  assert_string_equal(tag_of(&f, A), "");
  assert_string_equal(tag_of(&f, B), "other");
  assert_string_equal(reporter_of(&f, A, 0), "");
  assert_false(dmd_live_pop_tag(&f.live, 2, innermost));
  assert_false(dmd_live_abandon_reporter(&f.live, 2, innermost));
  live_end(&f);
}

/* ---- Sums of tags. ---- */

static void a_tag_from_outside_is_for_threads_without_one(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_LIVE);
  dmd_new_block_t block = {.addr = A, .req = 8, .usable = 24, .stack = 1, .thread = 1};
  block.tag = dmd_tag_intern(&f.live.tag_names, "rule");
  dmd_live_add(&f.live, &block);
  dmd_live_push_tag(&f.live, 1, "own", nowhere);
  block.addr = B;
  dmd_live_add(&f.live, &block);
  assert_string_equal(tag_of(&f, A), "rule");
  assert_string_equal(tag_of(&f, B), "own");
  expect_sum(&f, "rule", 24, 1);
  dmd_live_resize(&f.live, &(dmd_new_block_t){.addr = A, .req = 9, .usable = 24, .thread = 2});
  assert_string_equal(tag_of(&f, A), "");
  expect_sum(&f, "rule", 0, 0);
  live_end(&f);
}

/* Usable bytes: glibc gives 24 for 10, 104 for 100. */
static void tags_are_summed_up(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_LIVE);
  expect_sum(&f, "a", 0, 0);
  assert_int_equal(n_tags(&f), 0); /* a query does not make a tag */
  alloc(&f, A, 100, 1);
  dmd_live_push_tag(&f.live, 1, "a", nowhere);
  expect_sum(&f, "a", 0, 0);
  alloc(&f, B, 10, 1);
  alloc(&f, B + 64, 100, 1);
  dmd_live_set_tag(&f.live, 1, "b");
  alloc(&f, B + 256, 100, 1);
  dmd_live_pop_tag(&f.live, 1, innermost);
  expect_sum(&f, "a", 128, 2);
  expect_sum(&f, "b", 104, 1);
  expect_sum(&f, "c", 0, 0);
  free_block(&f, A);
  free_block(&f, B);
  expect_sum(&f, "a", 104, 1);
  free_block(&f, B + 64);
  expect_sum(&f, "a", 0, 0);
  expect_sum(&f, "b", 104, 1);
  live_end(&f);
}

/* A block resized in place leaves its old tag's sum with its old size; an announced block that is
 * resized keeps its tag. */
static void sums_follow_resized_blocks(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_LIVE);
  dmd_live_push_tag(&f.live, 1, "a", nowhere);
  alloc(&f, A, 10, 1);
  dmd_live_push_tag(&f.live, 1, "b", nowhere);
  dmd_new_block_t now = new_block(&f.live, 1, A, 100, 1);
  dmd_live_resize(&f.live, &now);
  expect_sum(&f, "a", 0, 0);
  expect_sum(&f, "b", 104, 1);
  dmd_live_end_thread(&f.live, 1);
  dmd_live_resize(&f.live, &now);
  expect_sum(&f, "b", 0, 0);

  dmd_new_block_t announced = {
      .addr = B, .req = 100, .usable = 100, .thread = 1, .flags = DMD_BLOCK_ANNOUNCED};
  dmd_live_push_tag(&f.live, 1, "a", nowhere);
  dmd_live_add(&f.live, &announced);
  dmd_live_push_tag(&f.live, 1, "b", nowhere);
  resize_announced(&f, B, 7);
  expect_sum(&f, "a", 7, 1);
  resize_announced(&f, B, 700);
  expect_sum(&f, "a", 700, 1);
  expect_sum(&f, "b", 0, 0);
  live_end(&f);
}

/* Sampling affects the contents of a dump, but not the sum of a tag. */
static void sums_are_exact_under_sampling(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_as(&f, (dmd_live_config_t){
                        .allocator = DMD_ALLOCATOR_EXACT, .word_szB = 8, .sample_below = 1000});
  dmd_live_push_tag(&f.live, 1, "a", nowhere);
  for (uint64_t i = 0; i < 1000; i++)
    alloc(&f, A + 64 * i, 7, 1);
  expect_sum(&f, "a", 7000, 1000);
  for (uint64_t i = 0; i < 999; i++)
    free_block(&f, A + 64 * i);
  expect_sum(&f, "a", 7, 1);
  live_end(&f);
}

typedef struct {
  uint64_t usable[8], n_blocks[8];
} sums_t;

static void add_up(void *ctx, uint64_t addr, dmd_block_t *block) {
  sums_t *sums = ctx;
  (void)addr;
  sums->usable[block->tag] += dmd_block_usable(block);
  sums->n_blocks[block->tag]++;
}

static void random_against_a_walk(void **state) {
  (void)state;
  enum { PLACES = 100 };
  static const char *const names[] = {"a", "b", "c", "d", "e"};
  bool live[PLACES] = {false};
  dice_t dice = {4711};
  live_fixture_t f;
  live_begin(&f, DMD_MODE_DARK_MATTER);
  for (int step = 0; step < 20000; step++) {
    uint64_t i = dice_below(&dice, PLACES);
    uint32_t thread = 1 + (uint32_t)dice_below(&dice, 4);
    if (dice_below(&dice, 2) == 0)
      dmd_live_set_tag(&f.live, thread, names[dice_below(&dice, COUNT_OF(names))]);
    else
      dmd_live_clear_tag(&f.live, thread);
    dmd_new_block_t block = new_block(&f.live, thread, A + 4096 * i, dice_below(&dice, 3000), 1);
    if (!live[i])
      dmd_live_add(&f.live, &block);
    else if (dice_below(&dice, 2) == 0)
      dmd_live_resize(&f.live, &block);
    else
      free_block(&f, A + 4096 * i);
    live[i] = dmd_live_find(&f.live, A + 4096 * i) != NULL;
    if (step % 100 != 0)
      continue;
    sums_t sums = {{0}, {0}};
    dmd_blocks_walk(f.live.blocks, add_up, &sums);
    for (size_t k = 0; k < COUNT_OF(names); k++) {
      uint32_t id = dmd_tag_intern(&f.live.tag_names, names[k]);
      expect_sum(&f, names[k], sums.usable[id], sums.n_blocks[id]);
    }
  }
  assert_int_equal(n_tags(&f), COUNT_OF(names));
  live_end(&f);
}

/* ---- Threads and tags. ---- */

static void begin_inheriting(live_fixture_t *f, bool inherit_tags) {
  live_begin_as(f, (dmd_live_config_t){.word_szB = 8, .inherit_tags = inherit_tags});
}

static void a_thread_inherits_its_creators_tag(void **state) {
  (void)state;
  live_fixture_t f;
  begin_inheriting(&f, true);
  dmd_live_start_thread(&f.live, 0, 1);
  dmd_live_start_thread(&f.live, 1, 2); /* created before the tag */
  dmd_live_push_tag(&f.live, 1, "outer", nowhere);
  dmd_live_set_tag(&f.live, 1, "inner");
  dmd_live_begin_reporter(&f.live, 1, "explicit/a", false, nowhere);
  dmd_live_start_thread(&f.live, 1, 3);
  dmd_live_pop_tag(&f.live, 1, innermost);
  dmd_live_start_thread(&f.live, 1, 4); /* created after it */
  dmd_live_start_thread(&f.live, 3, 5); /* grandchild */
  for (uint32_t thread = 1; thread <= 5; thread++)
    alloc_in(&f, thread, A + 64 * thread, 8, 1);
  dmd_live_report(&f.live, 3, A + 64 * 3, 1, 0, DMD_NONE);
  static const char *const expected[] = {"", "", "", "inner", "", "inner"};
  for (uint32_t thread = 1; thread <= 5; thread++)
    assert_string_equal(tag_of(&f, A + 64 * thread), expected[thread]);
  assert_string_equal(reporter_of(&f, A + 64 * 3, 0), "");
  assert_false(dmd_live_pop_tag(&f.live, 3, innermost)); /* the child cannot pop it */
  alloc_in(&f, 3, B, 8, 1);
  assert_string_equal(tag_of(&f, B), "inner");
  assert_int_equal(dmd_live_push_tag(&f.live, 5, "own", nowhere), 2);
  dmd_live_start_thread(&f.live, 5, 6);
  dmd_live_end_thread(&f.live, 5); /* parents may end first */
  alloc_in(&f, 6, B + 64, 8, 1);
  assert_string_equal(tag_of(&f, B + 64), "own");
  live_end(&f);
}

/* The number of a dead thread whose end may have been missed (fork). */
static void a_new_thread_has_nothing_of_an_old_one(void **state) {
  (void)state;
  live_fixture_t f;
  begin_inheriting(&f, true);
  dmd_live_push_tag(&f.live, 1, "inherited", nowhere);
  dmd_live_start_thread(&f.live, 1, 2);
  dmd_live_pop_tag(&f.live, 1, innermost);
  dmd_live_push_tag(&f.live, 2, "left open", nowhere);
  dmd_live_begin_reporter(&f.live, 2, "explicit/left/open", false, nowhere);
  dmd_live_start_thread(&f.live, 1, 2);
  alloc_in(&f, 2, A, 8, 1);
  dmd_live_report(&f.live, 2, A, 1, 0, DMD_NONE);
  assert_string_equal(tag_of(&f, A), "");
  assert_string_equal(reporter_of(&f, A, 0), "");
  live_end(&f);
}

static void threads_need_not_inherit(void **state) {
  (void)state;
  live_fixture_t f;
  begin_inheriting(&f, false);
  dmd_live_push_tag(&f.live, 1, "tag", nowhere);
  dmd_live_start_thread(&f.live, 1, 2);
  alloc_in(&f, 2, A, 8, 1);
  assert_string_equal(tag_of(&f, A), "");
  assert_int_equal(dmd_live_push_tag(&f.live, 2, "own", nowhere), 1);
  live_end(&f);
}

/* ---- More tags than there are numbers. ---- */

static void use_tag(live_fixture_t *f, uint64_t addr, const char *name) {
  dmd_live_push_tag(&f->live, 1, name, nowhere);
  alloc(f, addr, 8, 1);
  assert_true(dmd_live_pop_tag(&f->live, 1, innermost));
}

/* A block's record has 16 bits for its tag. New tags beyond that share one name; earlier ones keep
 * their own. */
static void more_tags_than_there_are_numbers(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_LIVE);
  char name[16];
  for (unsigned i = 1; i <= DMD_MAX_TAGS + 100; i++) {
    snprintf(name, sizeof name, "tag %u", i);
    use_tag(&f, A, name);
    if (i < DMD_MAX_TAGS - 1)
      assert_string_equal(tag_of(&f, A), name);
    else if (i >= DMD_MAX_TAGS)
      assert_string_equal(tag_of(&f, A), "(other tags)");
    free_block(&f, A);
  }
  use_tag(&f, A, "tag 17");
  assert_string_equal(tag_of(&f, A), "tag 17");
  use_tag(&f, B, "(other tags)");
  assert_string_equal(tag_of(&f, B), "(other tags)");
  use_tag(&f, B + 64, "tag 65599");
  expect_sum(&f, "tag 17", 24, 1);
  expect_sum(&f, "(other tags)", 48, 2);
  expect_sum(&f, "tag 65599", 0, 0); /* no block has it */
  live_end(&f);
}

/* The common tag is made when a name comes for which there is the last number only. */
static void the_last_number_is_kept(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin(&f, DMD_MODE_LIVE);
  char name[16];
  for (unsigned i = 1; i < DMD_MAX_TAGS; i++) {
    snprintf(name, sizeof name, "tag %u", i);
    use_tag(&f, A, name);
    free_block(&f, A);
  }
  use_tag(&f, A, "tag 1");
  assert_int_equal(n_tags(&f), DMD_MAX_TAGS - 1);
  use_tag(&f, B, "one more");
  assert_int_equal(n_tags(&f), DMD_MAX_TAGS);
  expect_sum(&f, "(other tags)", 24, 1);
  expect_sum(&f, "tag 1", 24, 1);
  live_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reports_bear_the_innermost_reporter),
      cmocka_unit_test(blocks_bear_the_innermost_tag),
      cmocka_unit_test(a_thread_that_ends_closes_its_scopes),
      cmocka_unit_test(a_tag_from_outside_is_for_threads_without_one),
      cmocka_unit_test(tags_are_summed_up),
      cmocka_unit_test(sums_follow_resized_blocks),
      cmocka_unit_test(sums_are_exact_under_sampling),
      cmocka_unit_test(random_against_a_walk),
      cmocka_unit_test(a_thread_inherits_its_creators_tag),
      cmocka_unit_test(a_new_thread_has_nothing_of_an_old_one),
      cmocka_unit_test(threads_need_not_inherit),
      cmocka_unit_test(more_tags_than_there_are_numbers),
      cmocka_unit_test(the_last_number_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
