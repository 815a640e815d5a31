/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The locks of the shards that blocks are in.
 */
#include "host.h"

#include "base/mem.h"
#include "record/heap/shard.h"

enum { N_SHARDS = 16 };

static const uint64_t BASE = UINT64_C(0x7f1200000000), MIB = UINT64_C(1) << 20;

/* Taking a lock that is held already fails the test: see never_waiting. */
static void what_is_held(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_blocks_t *blocks = dmd_blocks_create(
      &host.env, &(dmd_blocks_config_t){.n_shards = N_SHARDS, .waiting = &never_waiting});
  uint64_t other = BASE;
  dmd_blocks_find(blocks, BASE);
  dmd_blocks_find(blocks, BASE + 1000); /* of the same shard: its lock exists already */
  while (dmd_hash_u64(other / MIB) >> 60 == dmd_hash_u64(BASE / MIB) >> 60)
    other += MIB;
  assert_false(dmd_blocks_fast_remove(blocks, other, 0, false));
  dmd_blocks_let_go(blocks);
  assert_false(dmd_blocks_fast_remove(blocks, BASE, 0, false));
  dmd_blocks_hold_all(blocks);
  dmd_blocks_totals(blocks);
  dmd_blocks_let_go(blocks);
  for (uint64_t addr = BASE; addr < BASE + 100 * MIB; addr += MIB)
    assert_false(dmd_blocks_fast_remove(blocks, addr, 0, false));
  dmd_blocks_destroy(blocks);
  host_done(&host);
}

static void create_with_slabs(host_t *host, void *slabs) {
  dmd_blocks_create(&host->env, &(dmd_blocks_config_t){.slabs = slabs, .n_shards = 2});
}

static void blocks_of_slabs_are_in_one_part(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_slabs_t slabs;
  assert_int_equal(host_run(&host, create_with_slabs, &slabs), HOST_PANICKED);
  assert_string_equal(host.panic, "too many shards");
  host_done(&host);
}

static void count(void *ctx, uint64_t addr, dmd_block_t *block) {
  (void)addr, (void)block;
  ++*(uint32_t *)ctx;
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_blocks_t *blocks = dmd_blocks_create(
      &host->env, &(dmd_blocks_config_t){.max_freed = 3, .n_shards = 4, .waiting = &never_waiting});
  for (uint32_t i = 0; i < 20; i++) {
    dmd_new_block_t block = {.addr = BASE + i * MIB, .req = i, .usable = i};
    dmd_blocks_fast_add(blocks, &block, i);
    if (i % 3 == 0)
      dmd_blocks_fast_remove(blocks, block.addr, DMD_NONE, false);
  }
  uint32_t n = 0;
  dmd_blocks_walk(blocks, count, &n);
  assert_int_equal(n, 13);
  dmd_blocks_let_go(blocks);
  dmd_blocks_destroy(blocks);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 10);
}

/* An address in each shard. */
static void find_parts(uint64_t addr[N_SHARDS]) {
  memset(addr, 0, N_SHARDS * sizeof *addr);
  for (uint64_t i = 0; i < 1000; i++)
    addr[dmd_hash_u64(BASE / MIB + i) >> 60] = BASE + i * MIB;
}

static void come_and_go(dmd_blocks_t *blocks, uint64_t addr, uint32_t stack) {
  dmd_new_block_t block = {.addr = addr, .req = 8, .usable = 8};
  dmd_blocks_add(blocks, &block, DMD_NONE);
  assert_int_equal(dmd_blocks_remove(blocks, addr, stack), DMD_REMOVE_MEMORY);
  dmd_blocks_let_go(blocks);
}

static dmd_blocks_t *with_max_freed(host_t *host, uint32_t max_freed) {
  host_init(host);
  return dmd_blocks_create(&host->env, &(dmd_blocks_config_t){.max_freed = max_freed,
                                                              .n_shards = N_SHARDS,
                                                              .waiting = &never_waiting});
}

static void done(host_t *host, dmd_blocks_t *blocks) {
  dmd_blocks_let_go(blocks);
  dmd_blocks_destroy(blocks);
  host_done(host);
}

/* Other shards account for a removed block after the removal itself, but not as a later event. */
static void as_many_freed_blocks_are_remembered(void **state) {
  (void)state;
  enum { OWN = 4, MAX = N_SHARDS * OWN };
  host_t host;
  dmd_blocks_t *blocks = with_max_freed(&host, MAX);
  uint64_t addr[N_SHARDS];
  find_parts(addr);
  for (int part = 1; part < N_SHARDS; part++)
    for (int i = 1; i < OWN; i++)
      come_and_go(blocks, addr[part], 1);
  come_and_go(blocks, addr[0], 77);
  assert_int_equal(dmd_blocks_find_freed(blocks, addr[0])->freed, 77);
  int n_later = 0;
  for (int part = 1; part < N_SHARDS; part++, n_later++)
    come_and_go(blocks, addr[part], 2);
  for (int part = 1; n_later + OWN < MAX; part++)
    for (int i = 0; i < OWN; i++, n_later++)
      come_and_go(blocks, addr[part], 2);
  assert_int_equal(n_later, MAX - 1);
  assert_int_equal(dmd_blocks_find_freed(blocks, addr[0])->freed, 77);
  for (int part = 1; part < N_SHARDS; part++)
    for (int i = 0; i < 2 * OWN; i++)
      come_and_go(blocks, addr[part], 3);
  assert_null(dmd_blocks_find_freed(blocks, addr[0]));
  assert_int_equal(dmd_blocks_find_freed(blocks, addr[N_SHARDS - 1])->freed, 3);
  done(&host, blocks);
}

/* Shards must not keep more to themselves than is allowed. */
static void a_few_freed_blocks_are_a_few(void **state) {
  (void)state;
  host_t host;
  dmd_blocks_t *blocks = with_max_freed(&host, 3);
  uint64_t addr[N_SHARDS];
  find_parts(addr);
  for (int part = 0; part < 4; part++)
    come_and_go(blocks, addr[part], 1);
  assert_null(dmd_blocks_find_freed(blocks, addr[0]));
  for (int part = 1; part < 4; part++)
    assert_non_null(dmd_blocks_find_freed(blocks, addr[part]));
  done(&host, blocks);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_held),
      cmocka_unit_test(blocks_of_slabs_are_in_one_part),
      cmocka_unit_test(as_many_freed_blocks_are_remembered),
      cmocka_unit_test(a_few_freed_blocks_are_a_few),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
