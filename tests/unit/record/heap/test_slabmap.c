/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "record/heap/slabmap.h"

/* ---- the naive model: where each slab starts, by its id ---- */

enum { MAX = 400 };

typedef struct {
  uint64_t addr[MAX + 1];
  bool is_there[MAX + 1];
} model_t;

static uint32_t model_find(const model_t *m, uint64_t addr) {
  for (uint32_t id = 1; id <= MAX; id++)
    if (m->is_there[id] && addr - m->addr[id] < DMD_SLAB_SZB)
      return id;
  return DMD_NONE;
}

/* Whether a slab that starts at addr would lie in another one. */
static bool is_occupied(const model_t *m, uint64_t addr) {
  return model_find(m, addr) != DMD_NONE || model_find(m, addr + DMD_SLAB_SZB - 1) != DMD_NONE;
}

/* An address near the end of a region, in the lower or the upper half of the address space. */
static uint64_t any_address(dice_t *dice) {
  static const uint64_t near[] = {
      UINT64_C(1) << 28,
      UINT64_C(0x5555550000000),
      UINT64_C(0xfffffff0000000) - (1 << 20),
      UINT64_C(0xffff800000000000),
  };
  uint64_t from = near[dice_below(dice, COUNT_OF(near))] - (3 << 20);
  return from + dice_below(dice, 6 << 20) / 16 * 16;
}

static void check(const dmd_slabmap_t *map, const model_t *m, uint64_t addr) {
  uint32_t found = dmd_slabmap_find(map, addr), expected = model_find(m, addr);
  if (expected != DMD_NONE)
    assert_int_equal(found, expected);
  else if (found != DMD_NONE)
    assert_true(m->is_there[found]); /* one near by: see the header */
}

static void check_walk(const dmd_slabmap_t *map, const model_t *m) {
  size_t n = 0, expected = 0;
  uint64_t last = 0;
  uint32_t id;
  dmd_slabmap_walk_t walk;
  dmd_slabmap_walk_begin(&walk, map);
  for (; (id = dmd_slabmap_walk_next(&walk)) != DMD_NONE; n++) {
    assert_true(id <= MAX && m->is_there[id]);
    assert_true(m->addr[id] > last);
    last = m->addr[id];
  }
  dmd_slabmap_walk_end(&walk);
  for (id = 1; id <= MAX; id++)
    expected += m->is_there[id];
  assert_int_equal(n, expected);
}

static void random_slabs(void **state) {
  (void)state;
  static model_t m;
  memset(&m, 0, sizeof m);
  dice_t dice = {97};
  host_t host;
  host_init(&host);
  dmd_slabmap_t map;
  dmd_slabmap_init(&map, &host.env);
  check(&map, &m, 0);
  size_t n_found = 0, n_added = 0;
  for (int step = 0; step < 20000; step++) {
    uint32_t id = 1 + (uint32_t)dice_below(&dice, MAX);
    uint64_t addr = any_address(&dice);
    if (m.is_there[id]) {
      dmd_slabmap_remove(&map, m.addr[id]);
      m.is_there[id] = false;
    } else if (!is_occupied(&m, addr)) {
      dmd_slabmap_add(&map, addr, id);
      m.addr[id] = addr;
      m.is_there[id] = true;
      n_added++;
    }
    for (int i = 0; i < 5; i++) {
      addr = any_address(&dice);
      check(&map, &m, addr);
      n_found += model_find(&m, addr) != DMD_NONE;
    }
    if (m.is_there[id]) {
      check(&map, &m, m.addr[id] - 1);
      check(&map, &m, m.addr[id]);
      check(&map, &m, m.addr[id] + DMD_SLAB_SZB - 1);
      check(&map, &m, m.addr[id] + DMD_SLAB_SZB);
    }
    if (step % 500 == 0)
      check_walk(&map, &m);
  }
  assert_true(n_found > 10000 && n_added > 3000);
  dmd_slabmap_destroy(&map);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_slabmap_t map;
  dmd_slabmap_init(&map, &host->env);
  for (uint32_t i = 1; i < 100; i++)
    dmd_slabmap_add(&map, (uint64_t)i << 30, i);
  dmd_slabmap_walk_t walk;
  dmd_slabmap_walk_begin(&walk, &map);
  dmd_slabmap_walk_end(&walk);
  dmd_slabmap_destroy(&map);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_slabs),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
