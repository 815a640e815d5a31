/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "allocation_fixture.h"

#include "record/engine/mempool.h"

/* Addresses of anchors; NOWHERE is not one. */
enum { POOL = 0x500, OTHER = 0x600, NOWHERE = 0x700, BASE = 0x10000 };

static engine_fixture_t f;

static void begin(void) {
  heap_start(&f);
}

static void create(uint64_t anchor) {
  dmd_engine_mempool_create(&f.engine, 1, anchor, false);
}

static void chunk(uint64_t anchor, uint64_t addr, uint64_t szB) {
  dmd_engine_mempool_alloc(&f.engine, 1, anchor, addr, szB);
}

static void expect_totals(uint64_t n_allocs, uint64_t alloc_szB, uint64_t n_frees,
                          uint64_t n_blocks, uint64_t in_use_szB) {
  dmd_totals_t totals = dmd_live_totals(&f.engine.live);
  assert_int_equal(totals.n_allocs, n_allocs);
  assert_int_equal(totals.alloc_szB, alloc_szB);
  assert_int_equal(totals.n_frees, n_frees);
  assert_int_equal(totals.n_blocks, n_blocks);
  assert_int_equal(totals.in_use_szB, in_use_szB);
}

static void chunks_are_blocks(void **state) {
  (void)state;
  begin();
  create(POOL);
  create(OTHER);
  chunk(POOL, BASE, 100);
  chunk(POOL, BASE + 100, 20);
  chunk(OTHER, BASE + 200, 3);
  expect_block(&f, BASE + 100, 20, 20);
  assert_int_equal(block_of(&f, BASE)->stack, f.make);
  expect_totals(3, 123, 0, 3, 123);
  assert_int_equal(ask(&f, DMD_REQUEST_REPORT, BASE + 100), 20);
  assert_int_equal(engine_times_reported(&f, BASE + 100), 1);
  dmd_engine_mempool_free(&f.engine, 1, POOL, BASE);
  expect_totals(3, 123, 1, 2, 23);
  dmd_engine_mempool_destroy(&f.engine, 1, POOL);
  assert_false(dmd_engine_mempool_exists(&f.engine, POOL));
  assert_true(dmd_engine_mempool_exists(&f.engine, OTHER));
  expect_totals(3, 123, 2, 1, 3);
  engine_expect_no_fault(&f);
  engine_end(&f);
}

/* A chunk is handed out again although the program did not announce that it came back. */
static void handed_out_again(void **state) {
  (void)state;
  begin();
  create(POOL);
  chunk(POOL, BASE, 100);
  chunk(POOL, BASE, 30);
  expect_totals(2, 130, 1, 1, 30);
  engine_expect_no_fault(&f);
  engine_end(&f);
}

/* The first chunk has the address of the block that contains the pool. free, realloc and
 * malloc_usable_size act on that block, in a slab and outside. */
static void a_chunk_where_its_pool_is(void **state) {
  (void)state;
  static const uint64_t sizes[] = {200, LARGE};
  for (size_t i = 0; i < COUNT_OF(sizes); i++) {
    begin();
    uint64_t p = allocate(&f, sizes[i]);
    uint64_t usable = dmd_engine_usable_size(&f.engine, 1, p);
    create(POOL);
    chunk(POOL, p, 50);
    expect_block(&f, p, 50, 50);
    assert_int_equal(dmd_engine_usable_size(&f.engine, 1, p), usable);
    uint64_t q = reallocate(&f, p, sizes[i] - 8);
    assert_int_equal(q, p);
    expect_totals(3, sizes[i] * 2 + 42, 1, 2, sizes[i] + 42);
    dmd_engine_free(&f.engine, 1, p);
    expect_totals(3, sizes[i] * 2 + 42, 2, 1, 50);
    engine_expect_no_fault(&f);
    dmd_engine_free(&f.engine, 1, p);
    engine_expect_fault(&f, DMD_FAULT_INVALID_FREE, f.make);
    expect_block(&f, p, 50, 50);
    dmd_engine_mempool_free(&f.engine, 1, POOL, p);
    expect_totals(3, sizes[i] * 2 + 42, 4, 0, 0);
    engine_end(&f);
  }
}

/* If the pool was created with this flag, a freed chunk takes the announced blocks with it that lie
 * wholly inside. */
static void pieces_of_chunks(void **state) {
  (void)state;
  for (int frees = 0; frees <= 1; frees++) {
    begin();
    dmd_engine_mempool_create(&f.engine, 1, POOL, frees);
    create(OTHER);
    chunk(POOL, BASE, 1000);
    chunk(OTHER, BASE + 500, 10);
    dmd_engine_announce(&f.engine, 1, BASE, 100);
    dmd_engine_announce(&f.engine, 1, BASE + 100, 100);
    dmd_engine_announce(&f.engine, 1, BASE + 200, 50);
    engine_add_block(&f, BASE + 200); /* the allocator's; the announced block there is forgotten */
    dmd_engine_announce(&f.engine, 1, BASE + 900, 100);
    dmd_engine_announce(&f.engine, 1, BASE + 950, 51);
    dmd_engine_announce(&f.engine, 1, BASE + 1000, 10);
    dmd_engine_mempool_free(&f.engine, 1, POOL, BASE);
    uint64_t n_gone = frees ? 5 : 1;
    expect_counts(&f, 9, n_gone);
    assert_int_equal(dmd_live_totals(&f.engine.live).n_blocks, 9 - n_gone);
    assert_int_equal(dmd_live_find(&f.engine.live, BASE) == NULL, frees);
    expect_block(&f, BASE + 500, 10, 10);
    expect_block(&f, BASE + 950, 51, 51);
    expect_block(&f, BASE + 200, 100, 104);
    engine_end(&f);
  }
}

static void trimmed(void **state) {
  (void)state;
  static const struct {
    uint64_t addr, szB;   /* the pool is trimmed to these bytes */
    uint64_t start, left; /* what remains of a chunk at 100 to 200; left 0: nothing */
  } cases[] = {{100, 100, 100, 100}, {0, 1000, 100, 100}, {150, 100, 150, 50}, {50, 100, 100, 50},
               {120, 30, 120, 30},   {0, 100, 0, 0},      {200, 10, 0, 0},     {100, 0, 0, 0},
               {199, 1, 199, 1},     {0, 101, 100, 1}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    begin();
    create(POOL);
    chunk(POOL, BASE + 100, 100);
    ask(&f, DMD_REQUEST_REPORT, BASE + 100);
    dmd_engine_mempool_trim(&f.engine, 1, POOL, BASE + cases[i].addr, cases[i].szB);
    if (cases[i].left == 0) {
      expect_totals(1, 100, 1, 0, 0);
    } else {
      expect_block(&f, BASE + cases[i].start, cases[i].left, cases[i].left);
      assert_int_equal(engine_times_reported(&f, BASE + cases[i].start), 1);
      assert_int_equal(block_of(&f, BASE + cases[i].start)->stack, f.make);
      expect_totals(1, 100, 0, 1, cases[i].left);
      dmd_engine_mempool_free(&f.engine, 1, POOL, BASE + cases[i].start);
    }
    engine_expect_no_fault(&f);
    engine_end(&f);
  }
}

/* A chunk up to the very end of the address space, and an empty chunk. */
static void trimmed_at_the_end(void **state) {
  (void)state;
  begin();
  create(POOL);
  chunk(POOL, UINT64_MAX - 15, 15);
  chunk(POOL, BASE, 0);
  dmd_engine_mempool_trim(&f.engine, 1, POOL, UINT64_MAX - 7, 8);
  expect_block(&f, UINT64_MAX - 7, 7, 7);
  expect_totals(2, 15, 1, 1, 7);
  dmd_engine_mempool_trim(&f.engine, 1, POOL, BASE, UINT64_MAX - BASE);
  expect_totals(2, 15, 1, 1, 7);
  engine_end(&f);
}

static void moved_and_changed(void **state) {
  (void)state;
  begin();
  create(POOL);
  chunk(POOL, BASE, 100);
  chunk(POOL, BASE + 200, 10);
  ask(&f, DMD_REQUEST_REPORT, BASE);
  dmd_engine_mempool_move(&f.engine, 1, POOL, OTHER);
  assert_false(dmd_engine_mempool_exists(&f.engine, POOL));
  assert_true(dmd_engine_mempool_exists(&f.engine, OTHER));
  dmd_engine_mempool_move(&f.engine, 1, OTHER, OTHER);
  dmd_engine_mempool_change(&f.engine, 1, OTHER, BASE, BASE, 120);
  expect_block(&f, BASE, 120, 120);
  /* Moves to the address of another chunk: that one must have gone. */
  dmd_engine_mempool_change(&f.engine, 1, OTHER, BASE, BASE + 200, 70);
  expect_block(&f, BASE + 200, 70, 70);
  assert_int_equal(engine_times_reported(&f, BASE + 200), 1);
  expect_totals(2, 110, 1, 1, 70);
  engine_expect_no_fault(&f);
  engine_end(&f);
}

static void not_a_pool(void **state) {
  (void)state;
  begin();
  create(POOL);
  create(OTHER);
  chunk(POOL, BASE, 10);
  create(POOL);
  chunk(NOWHERE, BASE, 10);
  dmd_engine_mempool_free(&f.engine, 1, NOWHERE, BASE);
  dmd_engine_mempool_trim(&f.engine, 1, NOWHERE, BASE, 1);
  dmd_engine_mempool_change(&f.engine, 1, NOWHERE, BASE, BASE, 1);
  dmd_engine_mempool_move(&f.engine, 1, NOWHERE, POOL);
  dmd_engine_mempool_move(&f.engine, 1, POOL, OTHER);
  dmd_engine_mempool_destroy(&f.engine, 1, NOWHERE);
  assert_int_equal(engine_expect_fault(&f, DMD_FAULT_INVALID_POOL, f.make)->num, 8);
  expect_block(&f, BASE, 10, 10);
  expect_totals(1, 10, 0, 1, 10);
  engine_end(&f);
}

static void not_a_chunk(void **state) {
  (void)state;
  begin();
  create(POOL);
  create(OTHER);
  chunk(POOL, BASE, 10);
  dmd_engine_mempool_free(&f.engine, 1, OTHER, BASE);
  dmd_engine_mempool_free(&f.engine, 1, POOL, BASE + 1);
  dmd_engine_mempool_change(&f.engine, 1, POOL, BASE + 1, BASE, 1);
  assert_int_equal(engine_expect_fault(&f, DMD_FAULT_INVALID_FREE, f.make)->num, 3);
  expect_totals(1, 10, 0, 1, 10);
  engine_end(&f);
}

static void absurd_sizes(void **state) {
  (void)state;
  begin();
  create(POOL);
  chunk(POOL, BASE, UINT64_MAX);
  expect_block(&f, BASE, 0, 0);
  dmd_engine_mempool_change(&f.engine, 1, POOL, BASE, BASE + 8, UINT64_MAX / 2);
  expect_block(&f, BASE + 8, 0, 0);
  assert_int_equal(engine_expect_fault(&f, DMD_FAULT_ABSURD_SIZE, f.make)->num, 2);
  engine_end(&f);
}

/* A chunk that a counting allocator reported: the sum follows its size, and drops to 0 with the
 * chunk.
 */
static void counted_chunks(void **state) {
  (void)state;
  begin();
  ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/pool");
  create(POOL);
  chunk(POOL, BASE, 100);
  ask(&f, DMD_REQUEST_REPORT_ON_ALLOC, BASE);
  uint32_t name = dmd_intern_find_text(&f.engine.live.reporter_names, "explicit/pool");
  assert_int_equal(dmd_counters_find(&f.engine.live.counters, name)->live, 100);
  dmd_engine_mempool_change(&f.engine, 1, POOL, BASE, BASE + 8, 30);
  assert_int_equal(dmd_counters_find(&f.engine.live.counters, name)->live, 30);
  dmd_engine_mempool_destroy(&f.engine, 1, POOL);
  assert_int_equal(dmd_counters_find(&f.engine.live.counters, name)->live, 0);
  engine_end(&f);
}

static void use(dmd_engine_t *engine) {
  dmd_engine_mempool_create(engine, 1, POOL, true);
  dmd_engine_mempool_create(engine, 1, OTHER, false);
  for (uint64_t i = 0; i < 100; i++)
    dmd_engine_mempool_alloc(engine, 1, POOL, BASE + i * 8, 8);
  dmd_engine_mempool_alloc(engine, 1, OTHER, BASE, 8);
  dmd_engine_mempool_trim(engine, 1, POOL, BASE, 400);
  dmd_engine_mempool_destroy(engine, 1, POOL);
}

static void out_of_memory(void **state) {
  (void)state;
  begin();
  assert_true(engine_fail_everywhere(&f, use) > 5);
  engine_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chunks_are_blocks),
      cmocka_unit_test(handed_out_again),
      cmocka_unit_test(a_chunk_where_its_pool_is),
      cmocka_unit_test(pieces_of_chunks),
      cmocka_unit_test(trimmed),
      cmocka_unit_test(trimmed_at_the_end),
      cmocka_unit_test(moved_and_changed),
      cmocka_unit_test(not_a_pool),
      cmocka_unit_test(not_a_chunk),
      cmocka_unit_test(absurd_sizes),
      cmocka_unit_test(counted_chunks),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
