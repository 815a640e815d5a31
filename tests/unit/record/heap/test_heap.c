/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "heap_model.h"

/* ---- random operations ---- */

/* Boundary addresses: 0, ends of chunks, 2^32, the end of the user's half on amd64, and the very
 * end. In a window of 2 KiB, so that most addresses share their slots with others. */
static uint64_t any_address(dice_t *dice) {
  static const uint64_t windows[] = {
      0,
      UINT64_C(0x100000) - 1024,
      UINT64_C(0x5555559d4000),
      (UINT64_C(1) << 32) - 1024,
      (UINT64_C(1) << 47) - 1024,
      (UINT64_C(1) << 63) - 1024,
      UINT64_MAX - 2047,
  };
  static const uint64_t grains[] = {1, 8, 16, 64};
  uint64_t grain = grains[dice_below(dice, COUNT_OF(grains))];
  return windows[dice_below(dice, COUNT_OF(windows))] + dice_below(dice, 2048 / grain) * grain;
}

static void random_nested(void **state) {
  (void)state;
  static model_t m;
  m.n = 0;
  dice_t dice = {91};
  host_t host;
  host_init(&host);
  dmd_heap_t heap;
  dmd_heap_init(&heap, &host.env, NULL);
  size_t n_found = 0;
  for (int step = 0; step < 40000; step++) {
    uint64_t addr = any_address(&dice);
    bool growing = step / 4000 % 2 == 0;
    uint64_t roll = dice_below(&dice, 10);
    if (roll < (growing ? 4 : 1) && m.n < MODEL_MAX)
      model_add(&heap, &m, addr, any_size(&dice), (uint32_t)dice_below(&dice, 30),
                DMD_BLOCK_ANNOUNCED);
    else if (roll < 5 && m.n > 0 && dice_below(&dice, 4) > 0)
      model_remove(&heap, &m, m.list[dice_below(&dice, m.n)].addr);
    else if (roll < 6)
      model_remove(&heap, &m, addr);
    else if (roll < 7)
      check_find(&heap, &m, addr);
    else {
      check_find_containing(&heap, &m, addr);
      n_found += model_find_containing(&m, addr) != NULL;
    }
    if (step % 1000 == 0)
      check_walk(&heap, &m);
  }
  assert_true(n_found > 1000);
  while (m.n > 0)
    model_remove(&heap, &m, m.list[0].addr);
  check_walk(&heap, &m);
  dmd_heap_destroy(&heap);
  host_done(&host);
}

/* Blocks from an allocator do not overlap: here the search may stop early. */
static void random_disjoint(void **state) {
  (void)state;
  static model_t m;
  dice_t dice = {92};
  for (int round = 0; round < 60; round++) {
    m.n = 0;
    host_t host;
    host_init(&host);
    dmd_heap_t heap;
    dmd_heap_init(&heap, &host.env, NULL);
    uint64_t first = (UINT64_C(0x7ffff) << 20) + dice_below(&dice, 1u << 20) / 16 * 16;
    uint64_t end = first;
    while (m.n < 300) {
      uint64_t req = any_size(&dice);
      uint32_t slop = (uint32_t)dice_below(&dice, 24);
      model_add(&heap, &m, end, req, slop, 0);
      /* The next begins at a later multiple of 16, sometimes far behind. */
      end = (end + req + slop + 16) / 16 * 16;
      if (dice_below(&dice, 10) == 0)
        end += dice_below(&dice, 3u << 20) / 16 * 16;
    }
    for (int i = 0; i < 150; i++)
      model_remove(&heap, &m, m.list[dice_below(&dice, m.n)].addr);
    /* If it assumes that blocks may overlap, it finds the same, only slower: no other check would
     * notice. */
    assert_false(heap.may_nest);
    for (int i = 0; i < 400; i++) {
      check_find_containing(&heap, &m, first - 100 + dice_below(&dice, end - first + 200));
      const model_entry_t *e = &m.list[dice_below(&dice, m.n)];
      check_find_containing(&heap, &m, e->addr + e->req + e->slop);
      check_find_containing(&heap, &m, e->addr + e->req + e->slop - 1);
      check_find_containing(&heap, &m, e->addr);
    }
    check_walk(&heap, &m);
    dmd_heap_destroy(&heap);
    host_done(&host);
  }
}

/* Hundreds of chunks, added and removed in any order: the table of chunks grows, and gaps in it are
 * closed without losing a chunk. */
static void random_chunks(void **state) {
  (void)state;
  static model_t m;
  m.n = 0;
  dice_t dice = {93};
  host_t host;
  host_init(&host);
  dmd_heap_t heap;
  dmd_heap_init(&heap, &host.env, NULL);
  for (int step = 0; step < 12000; step++) {
    bool growing = step / 2000 % 2 == 0;
    /* Neighbours, as a heap has them, and others anywhere. */
    uint64_t number = dice_below(&dice, 2) ? dice_below(&dice, 400) : dice_u64(&dice) >> 20;
    uint64_t addr = number << 20 | dice_below(&dice, 64);
    if (m.n < 500 && dice_below(&dice, 3) < (growing ? 2 : 1))
      model_add(&heap, &m, addr, 64, 0, DMD_BLOCK_ANNOUNCED);
    else if (m.n > 0)
      model_remove(&heap, &m, m.list[dice_below(&dice, m.n)].addr);
    check_find(&heap, &m, addr);
    if (step % 20 == 0)
      for (size_t i = 0; i < m.n; i++)
        check_find(&heap, &m, m.list[i].addr);
  }
  check_walk(&heap, &m);
  dmd_heap_destroy(&heap);
  host_done(&host);
}

/* Large blocks far from each other, nested at random: the next chunk below is not a neighbour. */
static void random_far_apart(void **state) {
  (void)state;
  static model_t m;
  m.n = 0;
  dice_t dice = {94};
  host_t host;
  host_init(&host);
  dmd_heap_t heap;
  dmd_heap_init(&heap, &host.env, NULL);
  size_t n_found = 0;
  for (int step = 0; step < 1500; step++) {
    uint64_t addr = dice_below(&dice, UINT64_C(1) << 34);
    if (dice_below(&dice, 3) > 0) {
      check_find_containing(&heap, &m, addr);
      n_found += model_find_containing(&m, addr) != NULL;
    } else if (m.n < 50) {
      model_add(&heap, &m, addr, dice_any_size(&dice) >> 28, 0, DMD_BLOCK_ANNOUNCED);
    } else {
      model_remove(&heap, &m, m.list[dice_below(&dice, m.n)].addr);
    }
  }
  assert_true(n_found > 200);
  dmd_heap_destroy(&heap);
  host_done(&host);
}

/* ---- by hand ---- */

static void pieces_of_a_block(void **state) {
  (void)state;
  static model_t m;
  m.n = m.serial = 0;
  host_t host;
  host_init(&host);
  dmd_heap_t heap;
  dmd_heap_init(&heap, &host.env, NULL);
  model_add(&heap, &m, 0x100000 - 32, 3 << 20, 0, 0); /* 1: malloc'd, spans four chunks */
  model_add(&heap, &m, 0x100000 - 32, 100, 0, 1);     /* 2: a piece with the same address */
  model_add(&heap, &m, 0x300000, 64, 0, 1);           /* 3: a piece two chunks later */
  uint64_t start;
  assert_int_equal(dmd_heap_find(&heap, 0x100000 - 32)->stack, 2);
  assert_int_equal(dmd_heap_find_containing(&heap, 0x100000, &start)->stack, 2);
  assert_int_equal(dmd_heap_find_containing(&heap, 0x100000 + 68, &start)->stack, 1);
  assert_true(start == 0x100000 - 32);
  assert_int_equal(dmd_heap_find_containing(&heap, 0x300000 + 63, &start)->stack, 3);
  assert_true(start == 0x300000);
  assert_int_equal(dmd_heap_find_containing(&heap, 0x300000 + 64, &start)->stack, 1);
  assert_int_equal(dmd_heap_find_containing(&heap, 0x400000 - 33, &start)->stack, 1);
  assert_null(dmd_heap_find_containing(&heap, 0x400000 - 32, &start));
  assert_null(dmd_heap_find_containing(&heap, 0x100000 - 33, &start));
  /* The piece goes first; then the whole has the address. */
  model_remove(&heap, &m, 0x100000 - 32);
  assert_int_equal(dmd_heap_find(&heap, 0x100000 - 32)->stack, 1);
  assert_int_equal(dmd_heap_find_containing(&heap, 0x100000, &start)->stack, 1);
  model_remove(&heap, &m, 0x100000 - 32);
  assert_null(dmd_heap_find(&heap, 0x100000 - 32));
  assert_null(dmd_heap_find_containing(&heap, 0x100000, &start));
  dmd_heap_destroy(&heap);
  host_done(&host);
}

static void nothing_is_in_an_empty_one(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_heap_t heap;
  dmd_heap_init(&heap, &host.env, NULL);
  model_t *m = calloc(1, sizeof *m);
  assert_non_null(m);
  static const uint64_t addrs[] = {0, 1, 1u << 20, UINT64_MAX};
  for (size_t i = 0; i < COUNT_OF(addrs); i++) {
    check_find(&heap, m, addrs[i]);
    check_find_containing(&heap, m, addrs[i]);
    model_remove(&heap, m, addrs[i]);
  }
  check_walk(&heap, m);
  assert_int_equal(host.n_calls, 0);
  free(m);
  dmd_heap_destroy(&heap);
  host_done(&host);
}

/* A program may announce a block of any size, and ask about any address afterwards. The search
 * must not go through all of the address space, 2^44 chunks: the test would not end. */
static void an_absurd_size_does_not_hang_the_search(void **state) {
  (void)state;
  static model_t m;
  m.n = m.serial = 0;
  host_t host;
  host_init(&host);
  dmd_heap_t heap;
  dmd_heap_init(&heap, &host.env, NULL);
  uint64_t start;
  model_add(&heap, &m, 0x1000, UINT64_MAX >> 1, 0, DMD_BLOCK_ANNOUNCED);
  for (uint64_t number = 10; number < 300; number += 3)
    model_add(&heap, &m, number << 20, 32, 0, 0);
  assert_int_equal(dmd_heap_find_containing(&heap, UINT64_C(1) << 62, &start)->stack, 1);
  assert_int_equal(dmd_heap_find_containing(&heap, 200 << 20, &start)->stack, 1);
  assert_int_equal(dmd_heap_find_containing(&heap, (199u << 20) + 31, &start)->stack, 65);
  assert_int_equal(dmd_heap_find_containing(&heap, (199u << 20) + 32, &start)->stack, 1);
  assert_null(dmd_heap_find_containing(&heap, UINT64_MAX, &start));
  model_remove(&heap, &m, 0x1000);
  assert_null(dmd_heap_find_containing(&heap, UINT64_MAX, &start));
  assert_null(dmd_heap_find_containing(&heap, UINT64_C(1) << 62, &start));
  dmd_heap_destroy(&heap);
  host_done(&host);
}

static void mark(void *ctx, uint64_t addr, dmd_block_t *block) {
  (void)addr;
  block->reports = ++*(uint32_t *)ctx;
}

static void visitors_may_change_blocks(void **state) {
  (void)state;
  static model_t m;
  m.n = m.serial = 0;
  host_t host;
  host_init(&host);
  dmd_heap_t heap;
  dmd_heap_init(&heap, &host.env, NULL);
  for (uint64_t i = 0; i < 100; i++)
    model_add(&heap, &m, (100 - i) * 0x3210, 16, 0, 0);
  uint32_t n = 0;
  dmd_heap_walk(&heap, mark, &n);
  for (uint64_t i = 0; i < 100; i++)
    assert_int_equal(dmd_heap_find(&heap, (100 - i) * 0x3210)->reports, 100 - i);
  dmd_heap_destroy(&heap);
  host_done(&host);
}

static void remove_there(dmd_heap_t *heap, uint64_t addr) {
  dmd_removed_t removed;
  assert_true(dmd_heap_remove(heap, addr, &removed));
  dmd_heap_release(heap, &removed);
}

/* A loop of malloc and free needs only the memory of its first round, at any address. */
static void emptied_chunks_are_used_again(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_heap_t heap;
  dmd_heap_init(&heap, &host.env, NULL);
  size_t after_first = 0;
  for (uint64_t i = 0; i < 10000; i++) {
    dmd_heap_add(&heap, i << 20, 0)->req = 8;
    dmd_heap_add(&heap, (i << 20) + 64, 0)->req = 8;
    remove_there(&heap, i << 20);
    remove_there(&heap, (i << 20) + 64);
    if (i == 0)
      after_first = host.n_calls;
    assert_int_equal(host.n_calls, after_first);
    assert_null(dmd_heap_find(&heap, i << 20));
  }
  dmd_heap_destroy(&heap);
  host_done(&host);
}

/* 36 bytes a block, and outside of slabs a sixteenth of the heap for the slots. */
static void costs_what_the_header_says(void **state) {
  (void)state;
  assert_int_equal(sizeof(dmd_block_t), 36);
  host_t host;
  host_init(&host);
  dmd_heap_t heap;
  dmd_heap_init(&heap, &host.env, NULL);
  enum { N = 64 << 10, STEP = 64 }; /* 4 MiB */
  for (uint64_t i = 0; i < N; i++)
    dmd_heap_add(&heap, i * STEP, 0);
  size_t expected = N * 36 + N * STEP / 16;
  assert_in_range(host.szB, expected, expected + 4096);
  dmd_heap_destroy(&heap);
  host_done(&host);
}

static void ignore(void *ctx, uint64_t addr, dmd_block_t *block) {
  (void)ctx;
  (void)addr;
  (void)block;
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_heap_t heap;
  dmd_heap_init(&heap, &host->env, NULL);
  for (uint64_t i = 0; i < 70; i++) {
    dmd_heap_add(&heap, i << 20, 0)->req = 8;
    dmd_heap_add(&heap, (i << 20) + 8, 0)->req = 8;
  }
  for (uint64_t i = 0; i < 10; i++)
    remove_there(&heap, (i << 20) + 8 * (i % 2));
  dmd_heap_walk(&heap, ignore, NULL);
  dmd_heap_destroy(&heap);
}

/* 70 chunks; tables of 64, 128 and 256; a list and a segment of blocks; two arrays to walk. */
static void out_of_memory(void **state) {
  (void)state;
  assert_int_equal(host_fail_everywhere(use, NULL), 70 + 3 + 2 + 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_nested),
      cmocka_unit_test(random_disjoint),
      cmocka_unit_test(random_chunks),
      cmocka_unit_test(random_far_apart),
      cmocka_unit_test(pieces_of_a_block),
      cmocka_unit_test(nothing_is_in_an_empty_one),
      cmocka_unit_test(an_absurd_size_does_not_hang_the_search),
      cmocka_unit_test(visitors_may_change_blocks),
      cmocka_unit_test(emptied_chunks_are_used_again),
      cmocka_unit_test(costs_what_the_header_says),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
