/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks whose records lie beside their slabs, mixed with others. */
#include "heap_model.h"
#include "slab_memory.h"

/* Slabs start anywhere in the 64 KiB units by which they are found. Freed memory is used again. */
static const uint64_t SLABS = UINT64_C(0x55555555a320);
enum { APART = DMD_SLAB_SZB + 4096 + 48 };

static void allocate_one(dmd_heap_t *heap, dmd_slabs_t *slabs, model_t *m, dice_t *dice) {
  uint64_t szB = dice_below(dice, dice_below(dice, 3) == 0 ? DMD_SLAB_MAX_BLOCK + 1 : 100);
  uint64_t addr = dmd_slabs_alloc(slabs, szB);
  assert_true(addr != 0);
  model_add(heap, m, addr, szB, (uint32_t)(dmd_slabs_room(slabs, addr) - szB), 0);
}

/* An address to query: a block's, one within it or behind it, or any other. */
static uint64_t near_address(dice_t *dice, const model_t *m) {
  if (m->n == 0 || dice_below(dice, 5) == 0)
    return SLABS - 100 + dice_below(dice, 3 * APART);
  const model_entry_t *e = &m->list[dice_below(dice, m->n)];
  return e->addr + (dice_below(dice, 3) == 0 ? 0 : dice_below(dice, e->req + e->slop + 20));
}

static void random_in_slabs(uint64_t seed, bool announcing) {
  static model_t m;
  static slab_memory_t memory;
  m.n = 0;
  dice_t dice = {seed};
  host_t host;
  host_init(&host);
  dmd_slabs_t slabs;
  slab_memory_init(&memory, SLABS, APART, &slabs, &host.env);
  dmd_heap_t heap;
  dmd_heap_init(&heap, &host.env, &slabs);
  size_t n_found = 0, n_below_stale = 0, n_stay = 0;
  for (int step = 0; step < 40000; step++) {
    bool growing = step / 5000 % 2 == 0;
    uint64_t roll = dice_below(&dice, 10), addr = near_address(&dice, &m);
    if (roll < (growing ? 4 : 1) && m.n < MODEL_MAX) {
      allocate_one(&heap, &slabs, &m, &dice);
      for (size_t i = 0; i + 1 < m.n; i++)
        n_below_stale += m.list[i].addr == m.list[m.n - 1].addr;
    } else if (roll < 5 && announcing && m.n < MODEL_MAX && dice_below(&dice, 3) == 0) {
      model_add(&heap, &m, addr, any_size(&dice), 0, DMD_BLOCK_ANNOUNCED);
    } else if (roll < 6 && m.n > 0) {
      addr = m.list[dice_below(&dice, m.n)].addr;
      n_stay += model_remove(&heap, &m, addr);
      check_find(&heap, &m, addr);
      check_find_containing(&heap, &m, addr + 1);
      if (n_stay % 100 == 0)
        check_walk(&heap, &m);
      if (model_find(&m, addr) == NULL && dice_below(&dice, 3) == 0)
        model_remove(&heap, &m, addr); /* a double free */
      if (announcing && m.n < MODEL_MAX && dice_below(&dice, 10) == 0)
        model_add(&heap, &m, addr, any_size(&dice), 0,
                  DMD_BLOCK_ANNOUNCED); /* in memory that is gone */
    } else if (roll < 7) {
      check_find(&heap, &m, addr);
    } else {
      check_find_containing(&heap, &m, addr);
      n_found += model_find_containing(&m, addr) != NULL;
    }
    if (step % 1000 == 0)
      check_walk(&heap, &m);
  }
  assert_true(n_found > 1000 && n_stay > 1000);
  /* The program got memory back in which it had announced a block without taking it back. */
  assert_int_equal(n_below_stale > 20, announcing);
  /* Searches are slower then, but find the same: no other check would notice. */
  assert_int_equal(heap.may_nest, announcing);
  while (m.n > 0)
    model_remove(&heap, &m, m.list[0].addr);
  check_walk(&heap, &m);
  dmd_heap_destroy(&heap);
  dmd_slabs_destroy(&slabs);
  host_done(&host);
}

static void random_blocks_in_slabs(void **state) {
  (void)state;
  random_in_slabs(95, false);
}

static void random_pieces_of_blocks_in_slabs(void **state) {
  (void)state;
  random_in_slabs(96, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_blocks_in_slabs),
      cmocka_unit_test(random_pieces_of_blocks_in_slabs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
