/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include <stdio.h>

#include "live/live.h"

static const dmd_place_t nowhere;
static const dmd_scope_end_t innermost;

typedef struct {
  host_t host;
  dmd_live_t live;
} fixture_t;

static void begin_as(fixture_t *f, const dmd_live_config_t *config) {
  host_init(&f->host);
  dmd_live_init(&f->live, &f->host.env, config);
}

static void begin(fixture_t *f, dmd_mode_t mode) {
  begin_as(f, &(dmd_live_config_t){.mode = mode, .allocator = DMD_ALLOCATOR_GLIBC, .word_szB = 8});
}

static void end(fixture_t *f) {
  dmd_live_destroy(&f->live);
  host_done(&f->host);
}

/* The three steps of an allocation, as the shell makes them. */
static dmd_new_block_t describe(dmd_live_t *live, uint32_t thread, uint64_t addr, uint64_t req,
                                uint32_t stack) {
  uint64_t usable = dmd_live_usable(live, req, 1);
  dmd_plan_t plan = dmd_live_plan(live, usable);
  return (dmd_new_block_t){.addr = addr,
                           .req = req,
                           .usable = usable,
                           .stack = plan.stack ? stack : DMD_NONE,
                           .thread = thread,
                           .flags = plan.flags};
}

static void alloc_in(fixture_t *f, uint32_t thread, uint64_t addr, uint64_t req, uint32_t stack) {
  dmd_new_block_t block = describe(&f->live, thread, addr, req, stack);
  dmd_live_add(&f->live, &block);
}

static void alloc(fixture_t *f, uint64_t addr, uint64_t req, uint32_t stack) {
  alloc_in(f, 1, addr, req, stack);
}

static void free_block(fixture_t *f, uint64_t addr) {
  assert_int_equal(dmd_live_remove(&f->live, addr, DMD_NONE), DMD_REMOVE_MEMORY);
}

static const dmd_block_t *block_at(const fixture_t *f, uint64_t addr) {
  const dmd_block_t *block = dmd_live_find(&f->live, addr);
  assert_non_null(block);
  return block;
}

static dmd_totals_t totals(const fixture_t *f) {
  return dmd_live_totals(&f->live);
}

static void resize_announced(fixture_t *f, uint64_t addr, uint64_t req) {
  dmd_blocks_t *blocks = f->live.blocks;
  dmd_blocks_resize_announced(blocks, dmd_blocks_find(blocks, addr), req);
}

static void report_from(fixture_t *f, uint64_t addr, uint32_t stack) {
  uint64_t usable = dmd_live_usable_at(&f->live, addr);
  assert_int_equal(dmd_live_report(&f->live, 1, addr, stack, 0, DMD_NONE), usable);
}

static uint32_t count_at(const fixture_t *f, uint64_t addr) {
  uint32_t set = block_at(f, addr)->reports;
  return set == DMD_NONE ? 0 : dmd_reports_at(&f->live.reports, set)->count;
}

static const dmd_report_t *report_at(const fixture_t *f, uint64_t addr, uint32_t which) {
  assert_true(count_at(f, addr) > which);
  return &dmd_reports_at(&f->live.reports, block_at(f, addr)->reports)->report[which];
}

static uint64_t count_faults(const fixture_t *f, dmd_fault_kind_t kind) {
  uint64_t n = 0;
  for (uint32_t id = 1; id <= dmd_faults_count(&f->live.faults); id++)
    if (dmd_faults_at(&f->live.faults, id)->kind == (uint32_t)kind)
      n += dmd_faults_at(&f->live.faults, id)->num;
  return n;
}

enum { A = 0x10000, B = 0x20000, C = 0x30000 }; /* addresses */

/* ---- blocks ---- */

static void a_block_is_what_was_asked_for(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
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
  end(&f);
}

/* The figures that Memcheck prints: 10 rounds of one block of 50 and one of 7, of which the last
 * round's small one stays. */
static void malloc_and_free_are_counted(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
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
  end(&f);
}

/* A wild free is counted as a free, and nothing else of the heap moves. */
static void a_wild_free_changes_nothing(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  alloc(&f, A, 50, 1);
  assert_int_equal(dmd_live_remove(&f.live, A + 8, DMD_NONE), DMD_REMOVE_FAILED);
  assert_int_equal(dmd_live_remove(&f.live, 0, DMD_NONE), DMD_REMOVE_FAILED);
  assert_int_equal(totals(&f).n_frees, 2);
  assert_int_equal(totals(&f).in_use_szB, 50);
  assert_int_equal(totals(&f).n_blocks, 1);
  end(&f);
}

/* realloc that stays: a new size, stack and tag; not reported any more, whatever it was. */
static void resized_in_place(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  alloc(&f, A, 50, 1);
  report_from(&f, A, 10);
  dmd_live_push_tag(&f.live, 2, "grown", nowhere);
  dmd_new_block_t now = describe(&f.live, 2, A, 200, 5);
  dmd_live_resize(&f.live, &now);
  const dmd_block_t *a = block_at(&f, A);
  assert_int_equal(a->req, 200);
  assert_int_equal(a->slop, 0);
  assert_int_equal(a->stack, 5);
  assert_int_equal(a->thread, 2);
  assert_string_equal(dmd_intern_get_str(&f.live.tag_names, a->tag), "grown");
  assert_int_equal(a->reports, DMD_NONE);
  assert_int_equal(totals(&f).freed_reported, 1);
  assert_int_equal(totals(&f).n_allocs, 2);
  assert_int_equal(totals(&f).n_frees, 1);
  assert_int_equal(totals(&f).alloc_szB, 250);
  assert_int_equal(totals(&f).in_use_szB, 200);
  assert_int_equal(totals(&f).n_blocks, 1);
  end(&f);
}

/* An announced block that changes its size is the same block: reported, and not allocated anew. */
static void announced_and_resized(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
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
  end(&f);
}

static void a_failed_realloc_is_counted(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  alloc(&f, A, 50, 1);
  dmd_blocks_count_failed_realloc(f.live.blocks, 1000);
  assert_int_equal(totals(&f).n_allocs, 2);
  assert_int_equal(totals(&f).n_frees, 1);
  assert_int_equal(totals(&f).alloc_szB, 1050);
  assert_int_equal(totals(&f).in_use_szB, 50);
  assert_int_equal(block_at(&f, A)->req, 50);
  end(&f);
}

/* A block's record has 15 bits for its thread: the rest is one thread, not another's number. */
static void many_threads(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  alloc_in(&f, DMD_MAX_THREAD - 1, A, 8, 1);
  alloc_in(&f, DMD_MAX_THREAD + 1, B, 8, 1);
  alloc_in(&f, 1000000, C, 8, 1);
  assert_int_equal(block_at(&f, A)->thread, DMD_MAX_THREAD - 1);
  assert_int_equal(block_at(&f, B)->thread, DMD_MAX_THREAD);
  assert_int_equal(block_at(&f, C)->thread, DMD_MAX_THREAD);
  end(&f);
}

/* ---- reports ---- */

/* 0, 1, 2 and 3 times, from two places. */
static void reported_again_and_again(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
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
  end(&f);
}

static void cleared_and_taken_back(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
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

  /* Taking back takes all, those on allocation as well. */
  report_from(&f, A, 20);
  assert_int_equal(dmd_live_unreport(&f.live, A), 104);
  assert_int_equal(dmd_live_unreport(&f.live, B), 104);
  assert_int_equal(dmd_live_unreport(&f.live, C), 104);
  assert_int_equal(dmd_live_unreport(&f.live, A + 1), 0);
  assert_int_equal(dmd_live_unreport(&f.live, 0), 0);
  assert_int_equal(count_at(&f, A), 0);
  assert_int_equal(count_at(&f, B), 0);
  assert_int_equal(dmd_faults_count(&f.live.faults), 0);
  end(&f);
}

/* Another block at the address of one that was reported is not reported. */
static void an_address_used_again(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
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
  end(&f);
}

static void bad_addresses_are_faults(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
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
  /* Told apart by kind, place and the reporter that was open: two of the first are one entry. */
  assert_int_equal(dmd_faults_count(&f.live.faults), 4);
  const dmd_fault_t *first = dmd_faults_at(&f.live.faults, 1);
  assert_int_equal(first->num, 2);
  assert_int_equal(first->stack, 10);
  assert_string_equal(dmd_intern_get_str(&f.live.reporter_names, first->reporter), "explicit/a");
  assert_int_equal(dmd_faults_at(&f.live.faults, 3)->reporter, DMD_NONE); /* thread 2's */
  free_block(&f, A);
  assert_int_equal(dmd_live_report(&f.live, 1, A, 10, 0, DMD_NONE), 0);
  assert_int_equal(count_faults(&f, DMD_FAULT_REPORT_NO_BLOCK), 4);
  end(&f);
}

/* Measuring functions go on working where no reports are kept. */
static void other_modes_answer_sizes_only(void **state) {
  (void)state;
  static const dmd_mode_t modes[] = {DMD_MODE_LIVE, DMD_MODE_CUMULATIVE, DMD_MODE_SCAN};
  for (size_t i = 0; i < COUNT_OF(modes); i++) {
    fixture_t f;
    begin(&f, modes[i]);
    alloc(&f, A, 100, 1);
    report_from(&f, A, 10);
    report_from(&f, A, 10);
    assert_int_equal(count_at(&f, A), 0);
    assert_int_equal(dmd_live_report(&f.live, 1, A + 1, 10, 0, DMD_NONE), 0);
    assert_int_equal(dmd_live_report(&f.live, 1, B, 10, DMD_REPORT_ON_ALLOC, DMD_NONE), 0);
    assert_int_equal(dmd_faults_count(&f.live.faults), 0);
    end(&f);
  }
}

/* ---- scopes ---- */

static const char *reporter_of(const fixture_t *f, uint64_t addr, uint32_t which) {
  uint32_t reporter = report_at(f, addr, which)->reporter;
  return reporter == DMD_NONE ? "" : dmd_intern_get_str(&f->live.reporter_names, reporter);
}

static void reports_bear_the_innermost_reporter(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
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
  uint32_t named = dmd_intern_str(&f.live.reporter_names, "explicit/named");
  dmd_live_report(&f.live, 1, B, 10, 0, named); /* a name given goes first */
  assert_true(dmd_live_abandon_reporter(&f.live, 1, innermost));
  report_from(&f, C, 10);
  assert_false(dmd_live_abandon_reporter(&f.live, 1, innermost));
  assert_string_equal(reporter_of(&f, A, 0), "explicit/outer/inner");
  assert_string_equal(reporter_of(&f, A, 1), "explicit/outer");
  assert_string_equal(reporter_of(&f, B, 0), "");
  assert_string_equal(reporter_of(&f, B, 1), "explicit/named");
  assert_string_equal(reporter_of(&f, C, 0), "");
  end(&f);
}

static const char *tag_of(const fixture_t *f, uint64_t addr) {
  uint32_t tag = block_at(f, addr)->tag;
  return tag == DMD_NONE ? "" : dmd_intern_get_str(&f->live.tag_names, tag);
}

static void blocks_bear_the_innermost_tag(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  static const char *const expected[] = {"", "outer", "inner", "outer", "", "", "again"};
  uint64_t addr = A;
  alloc(&f, addr, 8, 1);
  assert_int_equal(dmd_live_push_tag(&f.live, 1, "outer", nowhere), 1);
  alloc(&f, addr += 64, 8, 1);
  assert_int_equal(dmd_live_push_tag(&f.live, 1, "inner", nowhere), 2);
  alloc(&f, addr += 64, 8, 1);
  alloc_in(&f, 2, B, 8, 1); /* another thread carries none */
  assert_true(dmd_live_pop_tag(&f.live, 1, innermost));
  alloc(&f, addr += 64, 8, 1);
  assert_true(dmd_live_pop_tag(&f.live, 1, innermost));
  alloc(&f, addr += 64, 8, 1);
  assert_false(dmd_live_pop_tag(&f.live, 1, innermost)); /* once too often */
  alloc(&f, addr += 64, 8, 1);
  assert_int_equal(dmd_live_push_tag(&f.live, 1, "again", nowhere), 1);
  alloc(&f, addr += 64, 8, 1);
  for (size_t i = 0; i < COUNT_OF(expected); i++)
    assert_string_equal(tag_of(&f, A + 64 * i), expected[i]);
  assert_string_equal(tag_of(&f, B), "");
  end(&f);
}

/* Thread numbers are used again: a new thread does not inherit what a dead one left open. */
static void a_thread_that_ends_closes_its_scopes(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
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
  end(&f);
}

/* ---- What a tag amounts to. ---- */

static void expect_sum(fixture_t *f, const char *name, uint64_t usable, uint64_t n_blocks) {
  dmd_tag_sum_t sum = dmd_live_tag_sum(&f->live, name);
  assert_int_equal(sum.usable, usable);
  assert_int_equal(sum.n_blocks, n_blocks);
}

static void a_tag_from_outside_is_for_threads_without_one(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  dmd_new_block_t block = {.addr = A, .req = 8, .usable = 24, .stack = 1, .thread = 1};
  block.tag = dmd_live_tag_id(&f.live, "rule");
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
  end(&f);
}

/* Usable bytes: glibc gives 24 for 10, 104 for 100. */
static void tags_are_summed_up(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  expect_sum(&f, "a", 0, 0);
  assert_int_equal(dmd_intern_count(&f.live.tag_names), 0); /* asking makes no tag */
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
  end(&f);
}

/* A block resized in place leaves its old tag's sum with its old size; one that its announcer
 * resized stays where it is. */
static void sums_follow_resized_blocks(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  dmd_live_push_tag(&f.live, 1, "a", nowhere);
  alloc(&f, A, 10, 1);
  dmd_live_push_tag(&f.live, 1, "b", nowhere);
  dmd_new_block_t now = describe(&f.live, 1, A, 100, 1);
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
  end(&f);
}

/* Sampling changes what a dump holds, not what a tag amounts to. */
static void sums_are_exact_under_sampling(void **state) {
  (void)state;
  fixture_t f;
  begin_as(&f, &(dmd_live_config_t){
                   .allocator = DMD_ALLOCATOR_EXACT, .word_szB = 8, .sample_below = 1000});
  dmd_live_push_tag(&f.live, 1, "a", nowhere);
  for (uint64_t i = 0; i < 1000; i++)
    alloc(&f, A + 64 * i, 7, 1);
  expect_sum(&f, "a", 7000, 1000);
  for (uint64_t i = 0; i < 999; i++)
    free_block(&f, A + 64 * i);
  expect_sum(&f, "a", 7, 1);
  end(&f);
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
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  for (int step = 0; step < 20000; step++) {
    uint64_t i = dice_below(&dice, PLACES);
    uint32_t thread = 1 + (uint32_t)dice_below(&dice, 4);
    if (dice_below(&dice, 2) == 0)
      dmd_live_set_tag(&f.live, thread, names[dice_below(&dice, COUNT_OF(names))]);
    else
      dmd_live_clear_tag(&f.live, thread);
    dmd_new_block_t block = describe(&f.live, thread, A + 4096 * i, dice_below(&dice, 3000), 1);
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
    for (uint32_t id = 1; id <= dmd_intern_count(&f.live.tag_names); id++)
      expect_sum(&f, dmd_intern_get_str(&f.live.tag_names, id), sums.usable[id], sums.n_blocks[id]);
  }
  assert_int_equal(dmd_intern_count(&f.live.tag_names), COUNT_OF(names));
  end(&f);
}

/* ---- Threads and tags. ---- */

static void begin_inheriting(fixture_t *f, bool inherit_tags) {
  begin_as(f, &(dmd_live_config_t){.word_szB = 8, .inherit_tags = inherit_tags});
}

static void a_thread_inherits_its_creators_tag(void **state) {
  (void)state;
  fixture_t f;
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
  assert_false(dmd_live_pop_tag(&f.live, 3, innermost)); /* not the child's to take off */
  alloc_in(&f, 3, B, 8, 1);
  assert_string_equal(tag_of(&f, B), "inner");
  assert_int_equal(dmd_live_push_tag(&f.live, 5, "own", nowhere), 2);
  dmd_live_start_thread(&f.live, 5, 6);
  dmd_live_end_thread(&f.live, 5); /* parents may end first */
  alloc_in(&f, 6, B + 64, 8, 1);
  assert_string_equal(tag_of(&f, B + 64), "own");
  end(&f);
}

/* The number of a dead thread, whose end may not have been seen (fork). */
static void a_new_thread_has_nothing_of_an_old_one(void **state) {
  (void)state;
  fixture_t f;
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
  end(&f);
}

static void threads_need_not_inherit(void **state) {
  (void)state;
  fixture_t f;
  begin_inheriting(&f, false);
  dmd_live_push_tag(&f.live, 1, "tag", nowhere);
  dmd_live_start_thread(&f.live, 1, 2);
  alloc_in(&f, 2, A, 8, 1);
  assert_string_equal(tag_of(&f, A), "");
  assert_int_equal(dmd_live_push_tag(&f.live, 2, "own", nowhere), 1);
  end(&f);
}

static void use_tag(fixture_t *f, uint64_t addr, const char *name) {
  dmd_live_push_tag(&f->live, 1, name, nowhere);
  alloc(f, addr, 8, 1);
  assert_true(dmd_live_pop_tag(&f->live, 1, innermost));
}

/* A block's record has 16 bits for its tag. What is new beyond that shares one name; what was there
 * before keeps its own. */
static void more_tags_than_there_are_numbers(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
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
  expect_sum(&f, "tag 65599", 0, 0); /* no block bears it */
  end(&f);
}

/* The common tag is made when the last number is due; no block need bear it. */
static void the_last_number_is_kept(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  char name[16];
  for (unsigned i = 1; i < DMD_MAX_TAGS; i++) {
    snprintf(name, sizeof name, "tag %u", i);
    use_tag(&f, A, name);
    free_block(&f, A);
  }
  use_tag(&f, A, "tag 1");
  assert_int_equal(dmd_intern_count(&f.live.tag_names), DMD_MAX_TAGS);
  expect_sum(&f, "(other tags)", 0, 0);
  expect_sum(&f, "tag 1", 24, 1);
  end(&f);
}

static void faults_name_the_open_reporter(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  dmd_live_begin_reporter(&f.live, 4, "explicit/a", false, nowhere);
  assert_true(dmd_live_fault(&f.live, DMD_FAULT_INVALID_FREE, 4, 9));
  assert_false(dmd_live_fault(&f.live, DMD_FAULT_INVALID_FREE, 4, 9));
  assert_true(dmd_live_fault(&f.live, DMD_FAULT_INVALID_FREE, 5, 9));
  assert_int_equal(count_faults(&f, DMD_FAULT_INVALID_FREE), 3);
  assert_int_equal(dmd_faults_count(&f.live.faults), 2);
  end(&f);
}

/* ---- sampling ---- */

static void plans(void **state) {
  (void)state;
  fixture_t f;
  begin_as(&f, &(dmd_live_config_t){.mode = DMD_MODE_LIVE,
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
  end(&f);
}

/* Sampled or not, a block can be found, measured, freed and counted. */
static void blocks_passed_over_are_still_there(void **state) {
  (void)state;
  fixture_t f;
  begin_as(&f, &(dmd_live_config_t){.mode = DMD_MODE_DARK_MATTER,
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
  end(&f);
}

/* A stack that stands for N bytes is as likely as that of a block of N bytes: with partial stacks
 * and N = 2,000, 99.75% of the blocks kept have one. */
static void a_kept_block_gets_a_stack_by_what_it_stands_for(void **state) {
  (void)state;
  fixture_t f;
  begin_as(&f, &(dmd_live_config_t){.mode = DMD_MODE_LIVE,
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
  end(&f);
}

/* ---- cumulative mode ---- */

static void history_counts_what_ever_was(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_CUMULATIVE);
  for (int i = 0; i < 1000; i++) {
    alloc(&f, A, 100, 1);
    if (i % 4 == 0)
      alloc(&f, B, 8, 2);
    free_block(&f, A);
    if (i % 4 == 0)
      free_block(&f, B);
  }
  alloc(&f, A, 100, 1);
  dmd_new_block_t now = describe(&f.live, 1, A, 300, 3);
  dmd_live_resize(&f.live, &now);
  assert_int_equal(dmd_groups_count(&f.live.history), 3);
  const dmd_group_t *g = dmd_groups_at(&f.live.history, 1);
  assert_true(g->req == 100 && g->slop == 4 && g->num == 1001 && g->stack == 1);
  g = dmd_groups_at(&f.live.history, 2);
  assert_true(g->req == 8 && g->slop == 16 && g->num == 250 && g->stack == 2);
  g = dmd_groups_at(&f.live.history, 3);
  assert_true(g->req == 300 && g->slop == 12 && g->num == 1 && g->stack == 3);
  assert_int_equal(totals(&f).n_blocks, 1);
  end(&f);
}

static void history_of_samples(void **state) {
  (void)state;
  fixture_t f;
  begin_as(&f, &(dmd_live_config_t){.mode = DMD_MODE_CUMULATIVE,
                                    .allocator = DMD_ALLOCATOR_EXACT,
                                    .word_szB = 8,
                                    .sample_below = 1000});
  for (int i = 0; i < 995; i++) { /* 9,950 bytes */
    alloc(&f, A, 10, 1);
    free_block(&f, A);
  }
  alloc(&f, A, 1000, 1);
  assert_int_equal(dmd_groups_count(&f.live.history), 2);
  const dmd_group_t *g = dmd_groups_at(&f.live.history, 1);
  assert_true(g->req == 1000 && g->slop == 0 && g->num - 9 <= 1 && g->sampled);
  g = dmd_groups_at(&f.live.history, 2);
  assert_true(g->req == 1000 && g->num == 1 && !g->sampled);
  end(&f);
}

static void no_history_elsewhere(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  alloc(&f, A, 100, 1);
  assert_int_equal(dmd_groups_count(&f.live.history), 0);
  end(&f);
}

static void use(host_t *host, void *arg) {
  dmd_live_config_t config = {.mode = *(const dmd_mode_t *)arg, .word_szB = 8};
  dmd_live_t live;
  dmd_live_init(&live, &host->env, &config);
  dmd_live_push_tag(&live, 1, "tag", nowhere);
  dmd_live_begin_reporter(&live, 1, "explicit/a", false, nowhere);
  dmd_stacks_set(&live.stacks, 1, 77);
  for (uint64_t i = 0; i < 40; i++) {
    dmd_new_block_t block = describe(&live, 1, i << 20, 100 + i, 1);
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
      cmocka_unit_test(reports_bear_the_innermost_reporter),
      cmocka_unit_test(blocks_bear_the_innermost_tag),
      cmocka_unit_test(a_tag_from_outside_is_for_threads_without_one),
      cmocka_unit_test(a_thread_that_ends_closes_its_scopes),
      cmocka_unit_test(tags_are_summed_up),
      cmocka_unit_test(sums_follow_resized_blocks),
      cmocka_unit_test(sums_are_exact_under_sampling),
      cmocka_unit_test(random_against_a_walk),
      cmocka_unit_test(a_thread_inherits_its_creators_tag),
      cmocka_unit_test(a_new_thread_has_nothing_of_an_old_one),
      cmocka_unit_test(threads_need_not_inherit),
      cmocka_unit_test(the_last_number_is_kept),
      cmocka_unit_test(more_tags_than_there_are_numbers),
      cmocka_unit_test(faults_name_the_open_reporter),
      cmocka_unit_test(plans),
      cmocka_unit_test(blocks_passed_over_are_still_there),
      cmocka_unit_test(a_kept_block_gets_a_stack_by_what_it_stands_for),
      cmocka_unit_test(history_counts_what_ever_was),
      cmocka_unit_test(history_of_samples),
      cmocka_unit_test(no_history_elsewhere),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
