/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/lifetimes.h"

static bool stack_equal(const void *owner, uint32_t id, const void *key) {
  return dmd_lifetimes_at(owner, id)->stack == *(const uint32_t *)key;
}

void dmd_lifetimes_init(dmd_lifetimes_t *lifetimes, const dmd_env_t *env) {
  lifetimes->is_known = false;
  dmd_pool_init(&lifetimes->pool, env, "dmd.lifetimes", sizeof(dmd_lifetime_t));
  dmd_table_init(&lifetimes->index, env, "dmd.lifetimes.index", stack_equal, lifetimes);
}

void dmd_lifetimes_destroy(dmd_lifetimes_t *lifetimes) {
  dmd_table_destroy(&lifetimes->index);
  dmd_pool_destroy(&lifetimes->pool);
}

void dmd_lifetimes_move(dmd_lifetimes_t *to, dmd_lifetimes_t *from) {
  const dmd_pool_t empty = to->pool;
  to->pool = from->pool;
  from->pool = empty;
  dmd_table_destroy(&from->index);
  dmd_table_init(&from->index, to->pool.env, "dmd.lifetimes.index", stack_equal, from);
}

void dmd_lifetime_join(dmd_lifetime_t *known, const dmd_lifetime_t *lifetime) {
  known->n_allocs += lifetime->n_allocs;
  known->alloc_szB += lifetime->alloc_szB;
  known->n_freed += lifetime->n_freed;
  known->n_temporary += lifetime->n_temporary;
  known->most_szB += lifetime->most_szB;
  known->sum += lifetime->sum;
  for (int i = 0; i < DMD_LIFETIME_CLASSES; i++)
    known->classes[i] += lifetime->classes[i];
}

void dmd_lifetimes_add(dmd_lifetimes_t *lifetimes, const dmd_lifetime_t *lifetime) {
  uint64_t hash = dmd_table_hash(&lifetimes->index, lifetime->stack);
  uint32_t id = dmd_table_find(&lifetimes->index, hash, &lifetime->stack);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&lifetimes->pool);
    *dmd_lifetimes_at(lifetimes, id) = *lifetime;
    dmd_table_add(&lifetimes->index, hash, id);
    return;
  }
  dmd_lifetime_join(dmd_lifetimes_at(lifetimes, id), lifetime);
}

uint64_t dmd_lifetime_mean(const dmd_lifetime_t *lifetime) {
  return lifetime->n_freed == 0 ? 0 : (uint64_t)(lifetime->sum / (double)lifetime->n_freed + 0.5);
}

uint64_t dmd_lifetime_n_short(const dmd_lifetime_t *lifetime) {
  uint64_t n = 0;
  for (int i = 0; i < DMD_SHORT_CLASSES; i++)
    n += lifetime->classes[i];
  return n;
}
