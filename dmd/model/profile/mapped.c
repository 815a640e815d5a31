/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/mapped.h"

static bool entry_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_mapped_entry_t *a = dmd_mapped_at(owner, id), *b = key;
  return a->stack == b->stack && a->reporter == b->reporter && a->is_reported == b->is_reported &&
         a->is_stack == b->is_stack;
}

void dmd_mapped_init(dmd_mapped_t *mapped, const dmd_env_t *env) {
  dmd_pool_init(&mapped->pool, env, "dmd.mapped", sizeof(dmd_mapped_entry_t));
  dmd_table_init(&mapped->index, env, "dmd.mapped.index", entry_equal, mapped);
}

void dmd_mapped_destroy(dmd_mapped_t *mapped) {
  dmd_table_destroy(&mapped->index);
  dmd_pool_destroy(&mapped->pool);
}

void dmd_mapped_add(dmd_mapped_t *mapped, const dmd_mapped_entry_t *entry) {
  uint64_t hash = dmd_table_hash(&mapped->index, (uint64_t)entry->stack << 32 | entry->reporter);
  uint32_t id = dmd_table_find(&mapped->index, hash, entry);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&mapped->pool);
    *DMD_POOL_AT(&mapped->pool, dmd_mapped_entry_t, id) = *entry;
    dmd_table_add(&mapped->index, hash, id);
    return;
  }
  dmd_mapped_entry_t *known = DMD_POOL_AT(&mapped->pool, dmd_mapped_entry_t, id);
  known->szB += entry->szB;
  known->num += entry->num;
}

dmd_mapped_entry_t dmd_mapped_sum(const dmd_mapped_t *mapped, bool of_stacks,
                                  bool unreported_only) {
  dmd_mapped_entry_t sum = {0};
  for (uint32_t id = 1; id <= dmd_mapped_count(mapped); id++) {
    const dmd_mapped_entry_t *entry = dmd_mapped_at(mapped, id);
    if (entry->is_stack != of_stacks || (unreported_only && entry->is_reported))
      continue;
    sum.szB += entry->szB;
    sum.num += entry->num;
  }
  return sum;
}
