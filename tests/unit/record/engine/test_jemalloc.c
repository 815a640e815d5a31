/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * jemalloc's own functions: their flags, blocks that stay in place, zeroed bytes. Sizes are
 * jemalloc's classes: multiples of 16 to 128, then four in each doubling; from 16 KiB on they are
 * large.
 */
#include "allocation_fixture.h"

#include "record/engine/allocation.h"

enum { ZERO = 0x40, ALIGN_64 = 6, ALIGN_4096 = 12, KIB = 1024 };
static const uint64_t absurd = UINT64_C(1) << 63;

static void start(engine_fixture_t *f) {
  heap_begin(f);
  engine_give(f, "--allocator=jemalloc");
  engine_start(f);
}

static uint64_t make(engine_fixture_t *f, uint64_t szB) {
  uint64_t p = dmd_engine_mallocx(&f->engine, 1, szB, 0);
  memset(bytes(p), 'x', dmd_block_usable(block_of(f, p)));
  return p;
}

/* Bytes [0, n) are what make wrote, [n, end) are zeroed. */
static void expect_content(uint64_t addr, uint64_t n, uint64_t end) {
  for (uint64_t i = 0; i < end; i++)
    assert_int_equal(bytes(addr)[i], i < n ? 'x' : 0);
}

static uint64_t xallocx(engine_fixture_t *f, uint64_t addr, uint64_t szB, uint64_t extra_szB) {
  return dmd_engine_xallocx(&f->engine, 1, addr, szB, extra_szB, 0);
}

/* ---- mallocx and nallocx. ---- */

static void flags(void **state) {
  (void)state;
  enum { ARENA_7 = 8 << 20, TCACHE_NONE = 1 << 8 };
  static const struct {
    uint32_t flags;
    uint64_t alignB, usable;
  } cases[] = {{0, 16, 112},
               {ARENA_7 | TCACHE_NONE, 16, 112},
               {4, 16, 112},
               {ALIGN_64, 64, 128},
               {ALIGN_64 | TCACHE_NONE, 64, 128},
               {ALIGN_4096, 4096, 4096},
               {14, 16 * KIB, 16 * KIB}};
  engine_fixture_t f;
  start(&f);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    uint64_t p = dmd_engine_mallocx(&f.engine, 1, 100, cases[i].flags);
    assert_int_equal(p % cases[i].alignB, 0);
    expect_block(&f, p, 100, cases[i].usable);
    assert_int_equal(dmd_engine_nallocx(&f.engine, 100, cases[i].flags), cases[i].usable);
  }
  engine_end(&f);
}

static void zeroed(void **state) {
  (void)state;
  static const uint64_t sizes[] = {100, LARGE};
  engine_fixture_t f;
  start(&f);
  for (size_t i = 0; i < COUNT_OF(sizes); i++) {
    dmd_engine_free(&f.engine, 1, make(&f, sizes[i]));
    uint64_t p = dmd_engine_mallocx(&f.engine, 1, sizes[i], ZERO | ALIGN_64);
    expect_content(p, 0, dmd_block_usable(block_of(&f, p)));
  }
  engine_end(&f);
}

static void more_than_there_can_be(void **state) {
  (void)state;
  engine_fixture_t f;
  start(&f);
  assert_int_equal(dmd_engine_nallocx(&f.engine, UINT64_MAX, 0), 0);
  assert_int_equal(dmd_engine_nallocx(&f.engine, UINT64_C(1) << 62, 0), 0);
  assert_int_equal(dmd_engine_nallocx(&f.engine, 1, 62), 0);
  assert_int_equal(dmd_engine_nallocx(&f.engine, UINT64_C(1) << 61, 0), UINT64_C(1) << 61);
  engine_expect_no_fault(&f);
  assert_int_equal(dmd_engine_mallocx(&f.engine, 1, absurd, 0), 0);
  engine_expect_fault(&f, DMD_FAULT_ABSURD_SIZE, f.make);
  engine_end(&f);
}

static void no_memory(void **state) {
  (void)state;
  engine_fixture_t f;
  start(&f);
  uint64_t p = make(&f, 100);
  f.h.heap_is_full = true;
  assert_int_equal(dmd_engine_mallocx(&f.engine, 1, LARGE, ZERO), 0);
  assert_int_equal(dmd_engine_rallocx(&f.engine, 1, p, LARGE, ZERO), 0);
  expect_block(&f, p, 100, 112);
  expect_content(p, 112, 112);
  engine_end(&f);
}

/* ---- rallocx. ---- */

/* The new part begins where the old usable bytes end, whether or not the block moves. */
static void rallocx_zeroes_what_is_new(void **state) {
  (void)state;
  engine_fixture_t f;
  start(&f);
  uint64_t p = dmd_engine_rallocx(&f.engine, 1, make(&f, 100), 1000, ZERO);
  expect_block(&f, p, 1000, 1024);
  expect_content(p, 112, 1024);
  uint64_t large = dmd_engine_rallocx(&f.engine, 1, make(&f, 100), 80 * KIB, ZERO);
  uint64_t larger = dmd_engine_rallocx(&f.engine, 1, large, 80 * KIB + 1, 0);
  expect_block(&f, larger, 80 * KIB + 1, 96 * KIB);
  expect_content(larger, 112, 80 * KIB);
  /* It has room for an eighth more. */
  memset(bytes(larger), 'x', 96 * KIB);
  dmd_engine_rallocx(&f.engine, 1, larger, 80 * KIB, 0);
  memset(bytes(larger) + 80 * KIB, 'y', 16 * KIB);
  assert_int_equal(dmd_engine_rallocx(&f.engine, 1, larger, 96 * KIB, ZERO), larger);
  expect_content(larger, 80 * KIB, 96 * KIB);
  engine_end(&f);
}

static void rallocx_aligns(void **state) {
  (void)state;
  engine_fixture_t f;
  start(&f);
  static const uint64_t sizes[] = {100, 112 * KIB}; /* the second one has room enough */
  for (size_t i = 0; i < COUNT_OF(sizes); i++) {
    uint64_t p = make(&f, sizes[i]), usable = i == 0 ? 4096 : 112 * KIB;
    while (p % 4096 == 0)
      p = make(&f, sizes[i]);
    uint64_t q = dmd_engine_rallocx(&f.engine, 1, p, sizes[i] - 1, ALIGN_4096);
    assert_int_equal(q % 4096, 0);
    expect_block(&f, q, sizes[i] - 1, usable);
    expect_content(q, sizes[i] - 1, sizes[i] - 1);
    /* An aligned block that fits stays. */
    assert_int_equal(dmd_engine_rallocx(&f.engine, 1, q, usable, ALIGN_4096), q);
    expect_block(&f, q, usable, usable);
  }
  engine_end(&f);
}

static void rallocx_of_no_block(void **state) {
  (void)state;
  engine_fixture_t f;
  start(&f);
  uint64_t p = make(&f, 100);
  assert_int_equal(dmd_engine_rallocx(&f.engine, 1, p + 16, 200, 0), 0);
  engine_expect_fault(&f, DMD_FAULT_INVALID_REALLOC, f.make);
  assert_int_equal(dmd_engine_rallocx(&f.engine, 1, p, absurd, 0), 0);
  expect_block(&f, p, 100, 112);
  engine_end(&f);
}

/* ---- xallocx. ---- */

static void xallocx_of_small_blocks(void **state) {
  (void)state;
  static const struct {
    uint64_t szB, extra_szB, req;
  } cases[] = {{97, 0, 97},           {112, 0, 112}, {100, 1000, 112},
               {50, UINT64_MAX, 112}, {50, 50, 100}, /* as it was: */ {113, 0, 100},
               {50, 0, 100},          {50, 46, 100}};
  engine_fixture_t f;
  start(&f);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    uint64_t p = make(&f, 100);
    assert_int_equal(xallocx(&f, p, cases[i].szB, cases[i].extra_szB), 112);
    expect_block(&f, p, cases[i].req, 112);
  }
  engine_end(&f);
}

/* Classes from 80 to 128 KiB are 80, 96, 112 and 128 KiB. */
static void xallocx_of_large_blocks(void **state) {
  (void)state;
  engine_fixture_t f;
  start(&f);
  uint64_t p = make(&f, 128 * KIB);
  assert_int_equal(xallocx(&f, p, 90 * KIB, 10 * KIB), 112 * KIB);
  expect_block(&f, p, 100 * KIB, 112 * KIB);
  assert_int_equal(xallocx(&f, p, 90 * KIB, 0), 96 * KIB);
  expect_block(&f, p, 90 * KIB, 96 * KIB);
  /* It grows within its room: to the larger size, or else to the smaller one, or not at all. */
  memset(bytes(p), 'x', 96 * KIB);
  assert_int_equal(dmd_engine_xallocx(&f.engine, 1, p, 100 * KIB, 50 * KIB, ZERO), 112 * KIB);
  expect_block(&f, p, 112 * KIB, 112 * KIB);
  expect_content(p, 96 * KIB, 112 * KIB);
  assert_int_equal(xallocx(&f, p, 110 * KIB, 10 * KIB), 128 * KIB);
  assert_int_equal(xallocx(&f, p, 129 * KIB, 0), 128 * KIB);
  expect_block(&f, p, 120 * KIB, 128 * KIB);
  /* Never to a small class. */
  assert_int_equal(xallocx(&f, p, 14 * KIB, 0), 128 * KIB);
  expect_block(&f, p, 120 * KIB, 128 * KIB);
  engine_end(&f);
}

/* It counts as a reallocation: the stack is the new one, and reports are gone. */
static void xallocx_renews(void **state) {
  (void)state;
  engine_fixture_t f;
  start(&f);
  uint64_t p = make(&f, 100);
  ask(&f, DMD_REQUEST_REPORT, p);
  f.h.now = f.measure;
  assert_int_equal(xallocx(&f, p, 200, 0), 112);
  assert_int_equal(engine_times_reported(&f, p), 1);
  assert_int_equal(block_of(&f, p)->stack, f.make);
  assert_int_equal(xallocx(&f, p, 110, 0), 112);
  assert_int_equal(engine_times_reported(&f, p), 0);
  assert_int_equal(block_of(&f, p)->stack, f.measure);
  engine_end(&f);
}

static void xallocx_of_no_block(void **state) {
  (void)state;
  static char pool[100];
  engine_fixture_t f;
  start(&f);
  uint64_t p = make(&f, 100);
  assert_int_equal(xallocx(&f, p + 16, 100, 0), 0);
  engine_expect_fault(&f, DMD_FAULT_INVALID_REALLOC, f.make);
  assert_int_equal(xallocx(&f, p, absurd, 0), 112);
  expect_block(&f, p, 100, 112);
  /* The program decides an announced block's size and place. */
  dmd_engine_announce(&f.engine, 1, (uintptr_t)pool, 100);
  assert_int_equal(xallocx(&f, (uintptr_t)pool, 90, 0), 100);
  expect_block(&f, (uintptr_t)pool, 100, 100);
  engine_end(&f);
}

static void use(dmd_engine_t *engine) {
  uint64_t p = dmd_engine_mallocx(engine, 1, 100, ZERO);
  p = dmd_engine_rallocx(engine, 1, p, LARGE, ALIGN_4096 | ZERO);
  dmd_engine_xallocx(engine, 1, p, LARGE / 2, 100, 0);
  dmd_engine_xallocx(engine, 1, p + 1, 1, 0, 0);
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
      cmocka_unit_test(flags),
      cmocka_unit_test(zeroed),
      cmocka_unit_test(more_than_there_can_be),
      cmocka_unit_test(no_memory),
      cmocka_unit_test(rallocx_zeroes_what_is_new),
      cmocka_unit_test(rallocx_aligns),
      cmocka_unit_test(rallocx_of_no_block),
      cmocka_unit_test(xallocx_of_small_blocks),
      cmocka_unit_test(xallocx_of_large_blocks),
      cmocka_unit_test(xallocx_renews),
      cmocka_unit_test(xallocx_of_no_block),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
