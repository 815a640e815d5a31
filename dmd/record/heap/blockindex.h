/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * blockindex.h: a sorted list of all live blocks at one moment, to find the block that contains an
 * address.
 *
 * The live heap finds block starts fast and interior addresses slowly. This index, built for a
 * dump, finds both equally fast: the address's position in the whole span selects a range of the
 * list, and a binary search finds the block in that range. A range holds one or two blocks if
 * blocks are spread evenly; at worst it is the whole list.
 *
 * If several blocks contain an address, the innermost is found: the one that starts last, and among
 * equal starts the one announced last. Blocks of 2^40 bytes and more (which can only be announced)
 * are left out: an address in them would carry no information.
 *
 * Cost: 32 bytes a block, and 4 to 8 for the ranges.
 *
 * Concurrency: no block may come, go or change while the index exists: the caller holds the shard
 * locks or has stopped the program's threads. Reading the index then needs no lock.
 */
#ifndef DMD_RECORD_HEAP_BLOCKINDEX_H
#define DMD_RECORD_HEAP_BLOCKINDEX_H

#include "record/heap/blocks.h"

typedef struct dmd_placed_block {
  uint64_t addr, end; /* for an empty block both are its start */
  const dmd_block_t *block;
  uint32_t outer; /* the next block that contains this one, as its place + 1; 0: none */
  uint32_t group; /* for the owner's use; initially 0 */
} dmd_placed_block_t;

typedef struct dmd_blockindex {
  const dmd_env_t *env;
  dmd_placed_block_t *blocks; /* sorted by address */
  uint32_t n;
  uint64_t lowest, span; /* of all block addresses */
  unsigned shift;        /* an address's range is (address - lowest) >> shift */
  uint32_t n_ranges;
  uint32_t *first; /* per range, plus one at the end: place of the first block that starts in it */
} dmd_blockindex_t;

void dmd_blockindex_init(dmd_blockindex_t *index, const dmd_env_t *env, dmd_blocks_t *blocks);
void dmd_blockindex_destroy(dmd_blockindex_t *index);

/* Prefetches what the searches for these n addresses will read; all addresses must be near. For
 * callers that look up many addresses, since each search otherwise waits for memory twice. */
void dmd_blockindex_fetch(const dmd_blockindex_t *index, const uint64_t *addrs, uint32_t n);

/* True if the address is between the lowest and the highest address of all blocks. */
static inline bool dmd_blockindex_is_near(const dmd_blockindex_t *index, uint64_t addr) {
  return addr - index->lowest < index->span;
}

/* The slow part of dmd_blockindex_find. */
dmd_placed_block_t *dmd_blockindex_search(const dmd_blockindex_t *index, uint64_t addr);

/* The innermost block that contains the address, or NULL. */
static inline dmd_placed_block_t *dmd_blockindex_find(const dmd_blockindex_t *index,
                                                      uint64_t addr) {
  /* Most words of a program are not addresses and end here. */
  return dmd_blockindex_is_near(index, addr) ? dmd_blockindex_search(index, addr) : NULL;
}

#endif
