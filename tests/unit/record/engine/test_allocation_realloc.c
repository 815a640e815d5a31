/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * realloc: which blocks stay in place, which move, how large they become; and announced blocks.
 */
#include "allocation_fixture.h"

static void realloc_of_nothing(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_start(&f);
  expect_block(&f, reallocate(&f, 0, 100), 100, 104);
  expect_counts(&f, 1, 0);
  engine_end(&f);
}

static void realloc_to_nothing(void **state) {
  (void)state;
  for (int keeps = 0; keeps <= 1; keeps++) {
    engine_fixture_t f;
    heap_start(&f);
    f.h.zero_keeps = keeps;
    uint64_t p = allocate(&f, 20), q = reallocate(&f, p, 0);
    if (keeps)
      expect_block(&f, q, 1, 24);
    else
      assert_int_equal(q, 0);
    assert_int_equal(dmd_live_totals(&f.engine.live).n_blocks, keeps);
    expect_counts(&f, 1 + (uint64_t)keeps, 1);
    engine_end(&f);
  }
}

/* A block of 104 bytes has room for 112. It stays for 52 to 112 bytes. */
static void realloc_in_place(void **state) {
  (void)state;
  static const struct {
    uint64_t req;
    bool stays;
  } cases[] = {{101, true}, {104, true}, {105, false}, {72, true}, {56, true}, {40, false}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    engine_fixture_t f;
    heap_start(&f);
    uint64_t p = allocate(&f, 100);
    ask(&f, DMD_REQUEST_REPORT, p);
    memset(bytes(p), 'x', 104);
    f.h.now = f.measure;
    uint64_t q = reallocate(&f, p, cases[i].req);
    assert_int_equal(q == p, cases[i].stays);
    assert_int_equal(block_of(&f, q)->req, cases[i].req);
    assert_int_equal(block_of(&f, q)->stack, f.measure);
    assert_int_equal(engine_times_reported(&f, q), 0);
    for (uint64_t at = 0; at < 104 && at < dmd_block_usable(block_of(&f, q)); at++)
      assert_int_equal(bytes(q)[at], 'x');
    expect_counts(&f, 2, 1);
    engine_end(&f);
  }
}

/* Beyond slabs, a growing block gets an eighth more than it needs, if there is room for that.
 */
static void realloc_that_grows(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_start(&f);
  uint64_t p = allocate(&f, 100);
  memset(bytes(p), 'x', 104);
  uint64_t q = reallocate(&f, p, LARGE);
  expect_block(&f, q, LARGE, LARGE_USABLE);
  assert_int_equal(newest_piece(&f).szB, LARGE_USABLE + LARGE_USABLE / 8);
  for (int i = 0; i < 104; i++)
    assert_int_equal(bytes(q)[i], 'x');
  assert_int_equal(reallocate(&f, q, LARGE + 10000), q);
  expect_counts(&f, 3, 2);
  engine_end(&f);
}

/* A block that does not grow gets exactly what it needs. */
static void realloc_that_shrinks(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_start(&f);
  uint64_t p = allocate(&f, LARGE), q = reallocate(&f, p, 33333);
  assert_true(q != p);
  expect_block(&f, q, 33333, 33336);
  assert_int_equal(f.h.n_pieces, 1);
  assert_int_equal(newest_piece(&f).szB, 33336);
  engine_end(&f);
}

static void realloc_without_memory(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_start(&f);
  uint64_t p = allocate(&f, 100);
  memset(bytes(p), 'x', 104);
  f.h.heap_is_full = true;
  assert_int_equal(reallocate(&f, p, LARGE), 0);
  expect_block(&f, p, 100, 104);
  assert_int_equal(bytes(p)[103], 'x');
  expect_counts(&f, 2, 1);
  engine_end(&f);
}

static void realloc_of_no_block(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_start(&f);
  uint64_t p = allocate(&f, 100);
  assert_int_equal(reallocate(&f, p + 16, 200), 0);
  engine_expect_fault(&f, DMD_FAULT_INVALID_REALLOC, f.make);
  assert_int_equal(strncmp(sink_text(&f.h.said), "invalid realloc: no block starts at 0x", 38), 0);
  expect_counts(&f, 2, 1);
  engine_end(&f);
}

/* ---- Announced blocks. ---- */

static char pool[3 * 4096] __attribute__((aligned(4096)));

static void announced(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_start(&f);
  uint64_t p = (uintptr_t)pool;
  dmd_engine_announce(&f.engine, 1, p, 100);
  expect_block(&f, p, 100, 100);
  dmd_engine_resize_announced(&f.engine, 1, p, 100, 300);
  expect_block(&f, p, 300, 300);
  engine_expect_no_fault(&f);
  dmd_engine_resize_announced(&f.engine, 1, p, 100, 400);
  dmd_engine_resize_announced(&f.engine, 1, p, 300, 0);
  dmd_engine_resize_announced(&f.engine, 1, p + 1, 300, 400);
  expect_block(&f, p, 300, 300);
  assert_int_equal(engine_expect_fault(&f, DMD_FAULT_INVALID_REALLOC, f.make)->num, 3);
  /* The memory is not the host's: freeing it would fail the test. */
  dmd_engine_free(&f.engine, 1, p);
  expect_counts(&f, 1, 1);
  engine_end(&f);
}

/* Blocks that a profile could not hold are a fault, and so are blocks of no size; all together,
 * too. */
static void announced_absurdly(void **state) {
  (void)state;
  engine_fixture_t f;
  heap_start(&f);
  uint64_t p = (uintptr_t)pool, address_space = UINT64_C(1) << 47, sum = 0;
  static const uint64_t absurd[] = {UINT64_MAX, UINT64_C(1) << 63, (UINT64_C(1) << 47) + 1};
  for (size_t i = 0; i < COUNT_OF(absurd); i++) {
    dmd_engine_announce(&f.engine, 1, p, absurd[i]);
    expect_block(&f, p, 0, 0);
    dmd_engine_free(&f.engine, 1, p);
  }
  dmd_engine_announce(&f.engine, 1, UINT64_MAX - 15, 17);
  expect_block(&f, UINT64_MAX - 15, 0, 0);
  dmd_engine_free(&f.engine, 1, UINT64_MAX - 15);
  dmd_engine_announce(&f.engine, 1, p, 8);
  dmd_engine_resize_announced(&f.engine, 1, p, 8, UINT64_MAX);
  expect_block(&f, p, 8, 8);
  assert_int_equal(engine_expect_fault(&f, DMD_FAULT_ABSURD_SIZE, f.make)->num, 5);
  for (; sum + 8 + address_space <= DMD_MAX_TOTAL / 2; sum += address_space) {
    dmd_engine_free(&f.engine, 1, p);
    dmd_engine_announce(&f.engine, 1, p, address_space);
    expect_block(&f, p, address_space, address_space);
  }
  dmd_engine_free(&f.engine, 1, p);
  dmd_engine_announce(&f.engine, 1, p, address_space);
  expect_block(&f, p, 0, 0);
  assert_int_equal(engine_expect_fault(&f, DMD_FAULT_ABSURD_SIZE, f.make)->num, 6);
  engine_end(&f);
}

/* It gets memory of the heap, and as much of its content as exists. */
static void realloc_of_announced(void **state) {
  (void)state;
  for (int is_there = 0; is_there <= 1; is_there++) {
    engine_fixture_t f;
    heap_start(&f);
    uint64_t p = (uintptr_t)pool + 4000;
    memset(pool, 'x', sizeof pool);
    f.h.unreadable = is_there ? NULL : pool + 4096;
    dmd_engine_announce(&f.engine, 1, p, 100);
    uint64_t q = reallocate(&f, p, 50);
    expect_block(&f, q, 50, 56);
    assert_int_equal(dmd_live_totals(&f.engine.live).n_blocks, 1);
    for (int i = 0; i < 50; i++)
      assert_int_equal(bytes(q)[i] == 'x', is_there);
    engine_end(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(realloc_of_nothing),   cmocka_unit_test(realloc_to_nothing),
      cmocka_unit_test(realloc_in_place),     cmocka_unit_test(realloc_that_grows),
      cmocka_unit_test(realloc_that_shrinks), cmocka_unit_test(realloc_without_memory),
      cmocka_unit_test(realloc_of_no_block),  cmocka_unit_test(announced),
      cmocka_unit_test(announced_absurdly),   cmocka_unit_test(realloc_of_announced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
