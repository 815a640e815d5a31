/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mempools.h: the memory pools that the program announces, and which blocks are their chunks.
 *
 * A pool is identified by its anchor, an address of the program's choice. Its chunks are announced
 * blocks (DMD_BLOCK_POOLED) like any other; this module records which ones they are, so that they
 * can be freed with their pool and told from other blocks at the same address. Anchors and
 * addresses are never dereferenced.
 *
 * Cost: 32 to 64 bytes a chunk; one hash look-up for a pool and one for a chunk.
 */
#ifndef DMD_RECORD_HEAP_MEMPOOLS_H
#define DMD_RECORD_HEAP_MEMPOOLS_H

#include "base/map.h"

#include <stdbool.h>

typedef struct dmd_mempool {
  uint64_t anchor;
  bool frees_pieces; /* announced blocks within a chunk are freed with it */
  dmd_map_t chunks;  /* of dmd_block_t, by address */
} dmd_mempool_t;

typedef struct dmd_mempools {
  const dmd_env_t *env;
  dmd_map_t by_anchor; /* of dmd_mempool_t */
} dmd_mempools_t;

void dmd_mempools_init(dmd_mempools_t *mempools, const dmd_env_t *env);

/* Leaves the blocks alone: they do not belong to the pools. */
void dmd_mempools_destroy(dmd_mempools_t *mempools);

/* The pool with this anchor, or NULL. */
static inline dmd_mempool_t *dmd_mempools_find(const dmd_mempools_t *mempools, uint64_t anchor) {
  return dmd_map_find(&mempools->by_anchor, anchor);
}

/* Adds a pool without chunks; no pool with this anchor may exist. Valid until removed. */
dmd_mempool_t *dmd_mempools_add(dmd_mempools_t *mempools, uint64_t anchor, bool frees_pieces);

/* Removes the pool; its blocks stay. */
void dmd_mempools_remove(dmd_mempools_t *mempools, dmd_mempool_t *mempool);

/* Gives the pool another anchor, which no other pool may have. */
void dmd_mempools_move(dmd_mempools_t *mempools, dmd_mempool_t *mempool, uint64_t anchor);

#endif
