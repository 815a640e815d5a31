/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/nested.h"

#include "base/mem.h"
#include "record/heap/blockindex.h"

static bool nesting_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_nested_t *nested = owner;
  return DMD_POOL_AT(&nested->pool, dmd_nesting_t, id)->block == key;
}

static uint64_t hash_of(const dmd_block_t *block) {
  return dmd_hash_u64((uintptr_t)block);
}

static uint32_t find(const dmd_nested_t *nested, const dmd_block_t *block) {
  return dmd_table_find(&nested->index, hash_of(block), block);
}

static dmd_nesting_t *get(dmd_nested_t *nested, const dmd_block_t *block) {
  uint32_t id = find(nested, block);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&nested->pool);
    *DMD_POOL_AT(&nested->pool, dmd_nesting_t, id) = (dmd_nesting_t){.block = block};
    dmd_table_add(&nested->index, hash_of(block), id);
  }
  return DMD_POOL_AT(&nested->pool, dmd_nesting_t, id);
}

/* A piece may end beyond its pool, if the program announces it so, and pieces may overlap. */
static void add(dmd_nested_t *nested, const dmd_placed_block_t *inner,
                const dmd_placed_block_t *outer) {
  uint64_t end = inner->addr + dmd_block_usable(inner->block);
  uint64_t outer_szB = dmd_block_usable(outer->block);
  uint64_t outer_end = outer->addr + outer_szB;
  uint64_t common_szB = (end < outer_end ? end : outer_end) - inner->addr;
  get(nested, inner->block)->outer = outer->block;
  dmd_nesting_t *nesting = get(nested, outer->block);
  nesting->inner_szB += common_szB;
  if (nesting->inner_szB > outer_szB)
    nesting->inner_szB = outer_szB;
}

void dmd_nested_init(dmd_nested_t *nested, const dmd_env_t *env, dmd_blocks_t *blocks) {
  dmd_pool_init(&nested->pool, env, "dmd.nested", sizeof(dmd_nesting_t));
  dmd_table_init(&nested->index, env, "dmd.nested.index", nesting_equal, nested);
  if (!dmd_blocks_may_nest(blocks))
    return;
  dmd_blockindex_t index;
  dmd_blockindex_init(&index, env, blocks);
  for (uint32_t i = 0; i < index.n; i++)
    if (index.blocks[i].outer != 0)
      add(nested, &index.blocks[i], &index.blocks[index.blocks[i].outer - 1]);
  dmd_blockindex_destroy(&index);
}

void dmd_nested_destroy(dmd_nested_t *nested) {
  dmd_table_destroy(&nested->index);
  dmd_pool_destroy(&nested->pool);
}

const dmd_nesting_t *dmd_nested_find(const dmd_nested_t *nested, const dmd_block_t *block) {
  uint32_t id = nested->pool.last == 0 ? DMD_NONE : find(nested, block);
  return id == DMD_NONE ? NULL : DMD_POOL_AT(&nested->pool, dmd_nesting_t, id);
}

uint64_t dmd_nested_szB(const dmd_nested_t *nested) {
  uint64_t szB = 0;
  for (uint32_t id = 1; id <= nested->pool.last; id++)
    szB += DMD_POOL_AT(&nested->pool, dmd_nesting_t, id)->inner_szB;
  return szB;
}
