/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mempools.h: the memory pools that the program tells of, and which of the blocks are their chunks.
 *
 * A pool is known by its anchor, an address that the program chose. Its chunks are announced blocks
 * (DMD_BLOCK_POOLED) like any other; what is kept here is which ones they are, so that they can go
 * with their pool, and so that a chunk is told from another block at its address. Anchors and
 * addresses are numbers here, and nothing lies behind them.
 *
 * Cost: 32 to 64 bytes a chunk; one hash look-up for a pool and one for a chunk.
 *
 * Nothing here locks: one thread at a time.
 */
#ifndef DMD_LIVE_MEMPOOLS_H
#define DMD_LIVE_MEMPOOLS_H

#include "base/map.h"

#include <stdbool.h>

typedef struct dmd_mempool {
  uint64_t anchor;
  bool frees_pieces; /* announced blocks in a chunk go with it */
  dmd_map_t chunks;  /* of dmd_block_t, by address */
} dmd_mempool_t;

typedef struct dmd_mempools {
  const dmd_env_t *env;
  dmd_map_t by_anchor; /* of dmd_mempool_t */
} dmd_mempools_t;

void dmd_mempools_init(dmd_mempools_t *mempools, const dmd_env_t *env);

/* Blocks are not the pools' own: they stay. */
void dmd_mempools_destroy(dmd_mempools_t *mempools);

/* The pool with this anchor, or NULL. */
static inline dmd_mempool_t *dmd_mempools_find(const dmd_mempools_t *mempools, uint64_t anchor) {
  return dmd_map_find(&mempools->by_anchor, anchor);
}

/* A new pool without chunks; there must be none with this anchor. It is good until removed. */
dmd_mempool_t *dmd_mempools_add(dmd_mempools_t *mempools, uint64_t anchor, bool frees_pieces);

/* The pool is gone; its blocks stay. */
void dmd_mempools_remove(dmd_mempools_t *mempools, dmd_mempool_t *mempool);

/* The pool has another anchor from now on, which no other pool has. */
void dmd_mempools_move(dmd_mempools_t *mempools, dmd_mempool_t *mempool, uint64_t anchor);

#endif
