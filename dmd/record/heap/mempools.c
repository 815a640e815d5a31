/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/mempools.h"

void dmd_mempools_init(dmd_mempools_t *mempools, const dmd_env_t *env) {
  mempools->env = env;
  dmd_map_init(&mempools->by_anchor, env, "dmd.mempools");
}

static void destroy(const dmd_env_t *env, dmd_mempool_t *mempool) {
  dmd_map_destroy(&mempool->chunks);
  dmd_env_free(env, mempool);
}

void dmd_mempools_destroy(dmd_mempools_t *mempools) {
  for (uint32_t i = 0; i < mempools->by_anchor.n_places; i++)
    if (mempools->by_anchor.places[i].value != NULL)
      destroy(mempools->env, mempools->by_anchor.places[i].value);
  dmd_map_destroy(&mempools->by_anchor);
}

dmd_mempool_t *dmd_mempools_add(dmd_mempools_t *mempools, uint64_t anchor, bool frees_pieces) {
  dmd_mempool_t *mempool = dmd_env_alloc(mempools->env, "dmd.mempool", sizeof *mempool);
  mempool->anchor = anchor;
  mempool->frees_pieces = frees_pieces;
  dmd_map_init(&mempool->chunks, mempools->env, "dmd.mempool.chunks");
  dmd_map_add(&mempools->by_anchor, anchor, mempool);
  return mempool;
}

void dmd_mempools_remove(dmd_mempools_t *mempools, dmd_mempool_t *mempool) {
  dmd_map_remove(&mempools->by_anchor, mempool->anchor);
  destroy(mempools->env, mempool);
}

void dmd_mempools_move(dmd_mempools_t *mempools, dmd_mempool_t *mempool, uint64_t anchor) {
  dmd_map_remove(&mempools->by_anchor, mempool->anchor);
  mempool->anchor = anchor;
  dmd_map_add(&mempools->by_anchor, anchor, mempool);
}
