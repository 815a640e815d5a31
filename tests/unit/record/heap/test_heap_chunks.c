/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Chunks of memory pools in the heap: they are removed and moved one by one, whatever else has
 * their address. And the search for announced blocks in a range.
 */
#include "heap_model.h"

enum { AREA = 256, STEP = 4096 };

/* All at the end of one chunk of slots and the start of the next, so that many share an address. */
static const uint64_t base = (UINT64_C(0x7fff0) << 20) - (uint64_t)AREA / 2;

typedef struct {
  host_t host;
  dmd_heap_t heap;
  model_t m;
} fixture_t;

static fixture_t f;

static void begin(void) {
  f.m.n = f.m.serial = 0;
  host_init(&f.host);
  dmd_heap_init(&f.heap, &f.host.env, NULL);
}

static void end(void) {
  dmd_heap_destroy(&f.heap);
  host_done(&f.host);
}

/* The record of an entry of the model. */
static dmd_block_t *record_of(const model_entry_t *e) {
  dmd_block_t *block = dmd_heap_find(&f.heap, e->addr);
  while (block->stack != e->serial)
    block = dmd_heap_find_older(&f.heap, e->addr, block);
  return block;
}

static void remove_chunk(model_entry_t *e) {
  dmd_removed_t removed;
  dmd_block_t *chunk = record_of(e);
  dmd_heap_remove_this(&f.heap, e->addr, chunk, &removed);
  assert_ptr_equal(removed.block, chunk);
  assert_int_equal(chunk->stack, e->serial);
  assert_false(removed.stays);
  dmd_heap_release(&f.heap, &removed);
  *e = f.m.list[--f.m.n];
}

/* A moved block becomes the latest at its new address. */
static void move_chunk(model_entry_t *e, uint64_t to) {
  dmd_block_t *moved = dmd_heap_move_announced(&f.heap, e->addr, record_of(e), &f.heap, to);
  assert_int_equal(moved->stack, e->serial);
  assert_int_equal(moved->req, e->req);
  assert_int_equal(moved->flags, DMD_BLOCK_ANNOUNCED | DMD_BLOCK_POOLED);
  assert_ptr_equal(dmd_heap_find(&f.heap, to), moved);
  e->addr = to;
  e->serial = moved->stack = ++f.m.serial;
}

/* The lowest block; of several at one address the newest. */
static const model_entry_t *first_announced(uint64_t from, uint64_t to) {
  const model_entry_t *found = NULL;
  for (size_t i = 0; i < f.m.n; i++) {
    const model_entry_t *e = &f.m.list[i];
    bool is_wanted = e->flags == DMD_BLOCK_ANNOUNCED && e->addr >= from && e->addr < to &&
                     e->addr + e->req + e->slop <= to;
    if (is_wanted && (found == NULL || e->addr < found->addr ||
                      (e->addr == found->addr && e->serial > found->serial)))
      found = e;
  }
  return found;
}

static void check_announced(uint64_t from, uint64_t to) {
  uint64_t start;
  const dmd_block_t *block = dmd_heap_find_announced(&f.heap, from, to, &start);
  const model_entry_t *e = first_announced(from, to);
  assert_int_equal(block != NULL, e != NULL);
  if (e != NULL) {
    assert_true(start == e->addr);
    assert_int_equal(block->stack, e->serial);
  }
}

static void random_step(dice_t *dice, size_t *n_chunks) {
  static const uint32_t flags[] = {0, DMD_BLOCK_ANNOUNCED, DMD_BLOCK_ANNOUNCED | DMD_BLOCK_POOLED};
  uint64_t addr = base + dice_below(dice, AREA / 8) * 8;
  uint64_t roll = dice_below(dice, 10);
  model_entry_t *any = f.m.n == 0 ? NULL : &f.m.list[dice_below(dice, f.m.n)];
  bool is_chunk = any != NULL && (any->flags & DMD_BLOCK_POOLED);
  if (roll < 4 && f.m.n < 100)
    model_add(&f.heap, &f.m, addr, dice_below(dice, 64), 0, flags[dice_below(dice, 3)]);
  else if (roll < 6)
    model_remove(&f.heap, &f.m, addr);
  else if (is_chunk && roll < 8)
    remove_chunk(any), ++*n_chunks;
  else if (is_chunk)
    move_chunk(any, addr), ++*n_chunks;
  check_find(&f.heap, &f.m, addr);
  check_announced(addr, addr + dice_below(dice, AREA));
}

static void random_chunks_of_pools(void **state) {
  (void)state;
  dice_t dice = {17};
  size_t n_chunks = 0;
  begin();
  for (int step = 0; step < 20000; step++) {
    random_step(&dice, &n_chunks);
    assert_int_equal(f.heap.n_blocks, f.m.n);
  }
  assert_true(n_chunks > 1000);
  check_walk(&f.heap, &f.m);
  end();
}

/* The range is given by the program and may be of any length. */
static void announced_far_away(void **state) {
  (void)state;
  begin();
  for (uint64_t i = 1; i < 100; i++)
    model_add(&f.heap, &f.m, i * STEP << 20, 8, 0, i % 7 == 0 ? DMD_BLOCK_ANNOUNCED : 0);
  check_announced(0, UINT64_MAX);
  check_announced(UINT64_C(8) * STEP << 20, UINT64_MAX);
  check_announced(UINT64_C(7) * STEP << 20, (UINT64_C(7) * STEP << 20) + 8);
  check_announced(UINT64_C(7) * STEP << 20, (UINT64_C(7) * STEP << 20) + 7);
  check_announced(UINT64_C(99) * STEP << 20, UINT64_MAX);
  check_announced(1, 1);
  end();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_chunks_of_pools),
      cmocka_unit_test(announced_far_away),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
