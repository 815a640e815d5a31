/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The program's allocator: where its memory comes from, what the program gets, what the engine
 * records.
 */
#include "allocation_fixture.h"

static const uint64_t absurd = UINT64_C(1) << 63;

/* ---- Allocating. ---- */

static void small_blocks(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_start(&f);
  uint64_t a = allocate(&f, 100), b = allocate(&f, 0);
  expect_block(&f, a, 100, 104);
  expect_block(&f, b, 0, 24);
  assert_int_equal(a % 16, 0);
  assert_int_equal(b % 16, 0);
  memset(bytes(a), 1, 104);
  memset(bytes(b), 2, 24);
  assert_int_equal(bytes(a)[103], 1);
  assert_int_equal(block_of(&f, a)->stack, f.make);
  assert_int_equal(block_of(&f, a)->thread, 1);
  expect_counts(&f, 2, 0);
  /* Each lies in a slab of its size. */
  assert_int_equal(f.h.n_pieces, 2);
  assert_int_equal(newest_piece(&f).szB, DMD_SLAB_SZB);
  engine_end(&f);
}

static void large_blocks(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_start(&f);
  uint64_t p = allocate(&f, LARGE);
  expect_block(&f, p, LARGE, LARGE_USABLE);
  assert_int_equal(f.h.n_pieces, 1);
  assert_int_equal(newest_piece(&f).szB, LARGE_USABLE);
  assert_int_equal(newest_piece(&f).alignB, 16);
  dmd_engine_free(&f.engine, 1, p);
  assert_int_equal(f.h.n_pieces, 0);
  engine_end(&f);
}

/* Slabs have only one alignment. */
static void the_hosts_alignment(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_begin(&f);
  f.h.heap_alignB = 64;
  engine_start(&f);
  uint64_t p = allocate(&f, 100);
  assert_int_equal(newest_piece(&f).alignB, 64);
  assert_int_equal(newest_piece(&f).szB, 104);
  dmd_engine_free(&f.engine, 1, p);
  assert_int_equal(f.h.n_pieces, 0);
  engine_end(&f);
}

static void zeroed(void **state) {
  (void)state;
  static const uint64_t sizes[] = {100, LARGE};
  engine_fixture_t f;
  heap_start(&f);
  for (size_t i = 0; i < COUNT_OF(sizes); i++) {
    /* The first block of its slab is used again. */
    uint64_t p = allocate(&f, sizes[i]);
    memset(bytes(p), 'x', sizes[i]);
    dmd_engine_free(&f.engine, 1, p);
    p = dmd_engine_calloc(&f.engine, 1, 4, sizes[i] / 4);
    uint64_t usable = dmd_block_usable(block_of(&f, p));
    assert_int_equal(usable, sizes[i] == LARGE ? LARGE_USABLE : 104);
    for (uint64_t at = 0; at < usable; at++)
      assert_int_equal(bytes(p)[at], 0);
  }
  engine_end(&f);
}

static void no_memory(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_start(&f);
  f.h.heap_is_full = true;
  assert_int_equal(allocate(&f, 100), 0);
  assert_int_equal(allocate(&f, LARGE), 0);
  assert_int_equal(dmd_engine_calloc(&f.engine, 1, 1, LARGE), 0);
  expect_counts(&f, 0, 0);
  engine_expect_no_fault(&f);
  engine_end(&f);
}

/* In glibc's sizes a block that is aligned to more than 16 bytes has its alignment's remainder. Its
 * usable size depends on the requested alignment if that is one, its address on the granted one. */
static void aligned(void **state) {
  (void)state;
  static const struct {
    dmd_alignment_t align;
    uint64_t model;
  } cases[] = {{{64, 64}, 64}, {{8, 16}, 8}, {{0, 32}, 32}, {{48, 64}, 64}, {{4096, 4096}, 4096}};
  engine_fixture_t f;
  heap_start(&f);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    uint64_t p = dmd_engine_memalign(&f.engine, 1, 100, cases[i].align);
    assert_int_equal(p % cases[i].align.granted, 0);
    expect_block(&f, p, 100, dmd_live_usable(&f.engine.live, 100, cases[i].model));
    p = dmd_engine_new_aligned(&f.engine, 1, 100, cases[i].align);
    assert_int_equal(p % cases[i].align.granted, 0);
    expect_block(&f, p, 100, dmd_live_usable(&f.engine.live, 100, cases[i].model));
  }
  engine_end(&f);
}

/* An old C++ library asks for a multiple of the alignment; the program's own size is kept. */
static void new_that_rounds_up(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_begin(&f);
  enginehost_object(&f.h, "/usr/lib/libstdc++.so.6.0.30", "libstdc++.so.6", "");
  engine_start(&f);
  const dmd_alignment_t align = {.asked = 64, .granted = 64};
  expect_block(&f, dmd_engine_new_aligned(&f.engine, 1, 100, align), 100,
               dmd_live_usable(&f.engine.live, 128, 64));
  expect_block(&f, dmd_engine_memalign(&f.engine, 1, 100, align), 100,
               dmd_live_usable(&f.engine.live, 100, 64));
  engine_end(&f);
}

/* The engine captures one stack for each block that gets one. */
static void stacks_where_they_are_wanted(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_begin(&f);
  engine_give(&f, "--stacks=partial");
  engine_start(&f);
  unsigned n_with_stack = 0;
  for (int i = 0; i < 1000; i++)
    n_with_stack += block_of(&f, allocate(&f, 100))->stack != DMD_NONE;
  assert_in_range(n_with_stack, 1, 999);
  assert_int_equal(f.h.n_captured, n_with_stack);
  engine_end(&f);
}

static void tags_of_rules(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_begin(&f);
  engine_give(&f, "--tag-fn=make=t");
  engine_start(&f);
  uint64_t p = allocate(&f, 100);
  uint64_t q = dmd_engine_realloc(&f.engine, 1, p, LARGE);
  f.h.now = f.measure;
  allocate(&f, 100);
  dmd_tag_sum_t sum = dmd_live_tag_sum(&f.engine.live, "t");
  assert_int_equal(sum.n_blocks, 1);
  assert_int_equal(sum.usable, dmd_block_usable(block_of(&f, q)));
  engine_end(&f);
}

/* ---- Faults. ---- */

/* Faults at one place are reported once. */
static void absurd_sizes(void **state) {
  (void)state;
  static const char said[] =
      "allocation of an impossible size: the size is 0x8000000000000000\nstack 1\n\n";
  engine_fixture_t f;
  heap_start(&f);
  const dmd_alignment_t align = {16, 16};
  assert_int_equal(allocate(&f, absurd), 0);
  assert_string_equal(sink_text(&f.h.said), said);
  assert_int_equal(allocate(&f, UINT64_MAX), 0);
  assert_int_equal(dmd_engine_calloc(&f.engine, 1, absurd, 0), 0);
  assert_int_equal(dmd_engine_calloc(&f.engine, 1, 0, absurd), 0);
  assert_int_equal(dmd_engine_calloc(&f.engine, 1, absurd / 2, 2), 0);
  assert_int_equal(dmd_engine_memalign(&f.engine, 1, absurd, align), 0);
  assert_int_equal(dmd_engine_new_aligned(&f.engine, 1, absurd, align), 0);
  uint64_t p = allocate(&f, 100);
  assert_int_equal(reallocate(&f, p, absurd), 0);
  expect_block(&f, p, 100, 104);
  expect_counts(&f, 1, 0);
  assert_int_equal(engine_expect_fault(&f, DMD_FAULT_ABSURD_SIZE, f.make)->num, 8);
  assert_string_equal(sink_text(&f.h.said), said);
  engine_end(&f);
}

static void absurd_for_small_words(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_begin(&f);
  f.h.engine_host.word_szB = 4;
  engine_start(&f);
  assert_int_equal(allocate(&f, UINT64_C(1) << 31), 0);
  engine_expect_fault(&f, DMD_FAULT_ABSURD_SIZE, f.make);
  engine_end(&f);
}

static void frees_of_no_block(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_start(&f);
  uint64_t p = allocate(&f, 100);
  f.h.now = f.measure;
  dmd_engine_free(&f.engine, 1, p + 8);
  engine_expect_fault(&f, DMD_FAULT_INVALID_FREE, f.measure);
  const char *said = sink_text(&f.h.said);
  assert_int_equal(strncmp(said, "invalid free: no block starts at 0x", 35), 0);
  assert_non_null(strstr(said, "\nstack 2\n\n"));
  expect_block(&f, p, 100, 104);
  expect_counts(&f, 1, 1);
  engine_end(&f);
}

static void frees_of_nothing(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_start(&f);
  dmd_engine_free(&f.engine, 1, 0);
  expect_counts(&f, 0, 0);
  engine_expect_no_fault(&f);
  engine_end(&f);
}

static void quiet(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_start(&f);
  f.h.quiet = true;
  dmd_engine_free(&f.engine, 1, 0x10000);
  assert_int_equal(reallocate(&f, 0x10000, 1), 0);
  assert_int_equal(dmd_faults_count(&f.engine.live.faults), 2);
  assert_string_equal(sink_text(&f.h.said), "");
  engine_end(&f);
}

/* The stack of a free is needed from the first report on. */
static void the_stack_of_a_free(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_start(&f);
  uint64_t p = allocate(&f, 100), q = allocate(&f, 100);
  unsigned n_captured = f.h.n_captured;
  dmd_engine_free(&f.engine, 1, p);
  assert_int_equal(f.h.n_captured, n_captured);
  ask(&f, DMD_REQUEST_REPORT, q);
  f.h.now = f.measure;
  dmd_engine_free(&f.engine, 1, q);
  ask(&f, DMD_REQUEST_REPORT, q);
  assert_int_equal(engine_expect_fault(&f, DMD_FAULT_REPORT_FREED, f.measure)->freed, f.measure);
  engine_end(&f);
}

/* ---- Usable sizes. ---- */

static void sizes(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_start(&f);
  uint64_t p = allocate(&f, 100);
  assert_int_equal(dmd_engine_usable_size(&f.engine, 1, p), 104);
  assert_int_equal(dmd_engine_usable_size(&f.engine, 1, p + 8), 0);
  assert_int_equal(engine_times_reported(&f, p), 0);
  engine_expect_no_fault(&f);
  engine_end(&f);
}

/* They may be part of a claim, but are not reports. */
static void sizes_in_a_reporter(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_start(&f);
  uint64_t p = allocate(&f, 100);
  ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/a");
  uint64_t szB = dmd_engine_usable_size(&f.engine, 1, p);
  ask(&f, DMD_REQUEST_REPORTER_END, szB);
  assert_int_equal(engine_times_reported(&f, p), 0);
  const dmd_fault_t *fault = engine_expect_fault(&f, DMD_FAULT_CLAIM, f.make);
  assert_int_equal(fault->reason, DMD_REASON_USABLE_SIZE);
  engine_end(&f);
}

/* The calling function is the reporter, unless the thread is in one. */
static void sizes_that_are_reports(void **state) {
  (void)state;
  static const struct {
    dmd_mode_t mode;
    bool in_scope;
    const char *reporter; /* NULL: no report */
  } cases[] = {{DMD_MODE_DARK_MATTER, false, "explicit/measure"},
               {DMD_MODE_DARK_MATTER, true, "explicit/a"},
               {DMD_MODE_LIVE, false, NULL}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    engine_fixture_t f;
    heap_begin(&f);
    engine_give(&f, "--report-usable-size=yes");
    f.options.mode = cases[i].mode;
    engine_start(&f);
    uint64_t p = allocate(&f, 100);
    if (cases[i].in_scope)
      ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/a");
    f.h.now = f.measure;
    unsigned n_captured = f.h.n_captured;
    assert_int_equal(dmd_engine_usable_size(&f.engine, 1, p), 104);
    assert_int_equal(f.h.n_captured - n_captured, cases[i].reporter != NULL);
    assert_int_equal(engine_times_reported(&f, p), cases[i].reporter != NULL);
    if (cases[i].reporter != NULL)
      assert_string_equal(engine_reporter_of(&f, p), cases[i].reporter);
    engine_end(&f);
  }
}

/* ---- All at random. ---- */

typedef struct {
  uint64_t addr, szB;
  unsigned char fill;
} model_block_t;

static void check(const engine_fixture_t *f, const model_block_t *block, uint64_t n) {
  assert_int_equal(block_of(f, block->addr)->req, block->szB);
  for (uint64_t i = 0; i < n && i < block->szB; i++)
    assert_int_equal((unsigned char)bytes(block->addr)[i], block->fill);
}

static void random_against_a_list(void **state) {
  (void)state;
  enum { N = 40, STEPS = 20000 };
  engine_fixture_t f;
  heap_start(&f);
  dice_t dice = {1};
  model_block_t blocks[N] = {{0}};
  uint64_t n_allocs = 0, n_frees = 0;
  for (int step = 0; step < STEPS; step++) {
    model_block_t *block = &blocks[dice_below(&dice, N)];
    uint64_t szB = 1 + dice_below(&dice, dice_below(&dice, 8) == 0 ? 20000 : 400);
    uint64_t old_szB = block->szB;
    if (block->addr != 0)
      check(&f, block, old_szB);
    if (block->addr != 0 && dice_below(&dice, 3) == 0) {
      dmd_engine_free(&f.engine, 1, block->addr);
      *block = (model_block_t){0};
      n_frees++;
      continue;
    }
    n_frees += block->addr != 0;
    n_allocs++;
    block->addr = reallocate(&f, block->addr, szB);
    block->szB = szB;
    check(&f, block, old_szB);
    block->fill = (unsigned char)dice_below(&dice, 256);
    memset(bytes(block->addr), block->fill, szB);
  }
  expect_counts(&f, n_allocs, n_frees);
  engine_expect_no_fault(&f);
  engine_end(&f);
}

static void use(dmd_engine_t *engine) {
  uint64_t p = dmd_engine_malloc(engine, 1, 100);
  p = dmd_engine_realloc(engine, 1, p, 300);
  dmd_engine_free(engine, 1, p);
  dmd_engine_free(engine, 1, p);
}

static void out_of_memory(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_start(&f);
  assert_true(engine_fail_everywhere(&f, use) > 5);
  engine_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_blocks),
      cmocka_unit_test(large_blocks),
      cmocka_unit_test(the_hosts_alignment),
      cmocka_unit_test(zeroed),
      cmocka_unit_test(no_memory),
      cmocka_unit_test(aligned),
      cmocka_unit_test(new_that_rounds_up),
      cmocka_unit_test(stacks_where_they_are_wanted),
      cmocka_unit_test(tags_of_rules),
      cmocka_unit_test(absurd_sizes),
      cmocka_unit_test(absurd_for_small_words),
      cmocka_unit_test(frees_of_no_block),
      cmocka_unit_test(frees_of_nothing),
      cmocka_unit_test(quiet),
      cmocka_unit_test(the_stack_of_a_free),
      cmocka_unit_test(sizes),
      cmocka_unit_test(sizes_in_a_reporter),
      cmocka_unit_test(sizes_that_are_reports),
      cmocka_unit_test(random_against_a_list),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
