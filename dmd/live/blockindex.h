/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * blockindex.h: all live blocks at one moment, and to which of them an address belongs.
 *
 * The live heap finds starts fast and interiors slowly. For the time of a dump this list of all
 * blocks, sorted by address, finds both alike: the address's share of the whole span gives a range
 * of the list, a binary search the place in it. Where blocks are spread evenly a range holds one or
 * two; at worst it is the whole list.
 *
 * Of several blocks around an address the innermost is found: the one that starts last, of equal
 * starts the one that was announced last. Blocks of 2^40 bytes and more, which a program can only
 * announce, are left out: nothing could be told from addresses in them.
 *
 * Cost: 32 bytes a block and 4 to 8 for the ranges; no block may come or go as long as it lives.
 *
 * Concurrency: the blocks must stay as they are as long as it lives: their locks are held, or the
 * program's threads are stopped. Reading it then needs no lock.
 */
#ifndef DMD_LIVE_BLOCKINDEX_H
#define DMD_LIVE_BLOCKINDEX_H

#include "live/blocks.h"

typedef struct dmd_placed_block {
  uint64_t addr, end; /* a block of no bytes has the address of its start */
  const dmd_block_t *block;
  uint32_t outer; /* the next block around this one, as its place + 1; 0: none */
  uint32_t group; /* the owner's, starts as 0 */
} dmd_placed_block_t;

typedef struct dmd_blockindex {
  const dmd_env_t *env;
  dmd_placed_block_t *blocks; /* by address */
  uint32_t n;
  uint64_t lowest, span; /* of all addresses in blocks */
  unsigned shift;        /* an address's range is its distance from the lowest >> shift */
  uint32_t n_ranges;
  uint32_t *first; /* of each range, and one more: the place of the first block that starts there */
} dmd_blockindex_t;

void dmd_blockindex_init(dmd_blockindex_t *index, const dmd_env_t *env, dmd_blocks_t *blocks);
void dmd_blockindex_destroy(dmd_blockindex_t *index);

/* For callers that look up many addresses: a search waits for memory twice. This starts to load
 * what the searches for n addresses want into the caches; all are near. */
void dmd_blockindex_fetch(const dmd_blockindex_t *index, const uint64_t *addrs, uint32_t n);

/* Whether it lies between the lowest and the highest address of all blocks. */
static inline bool dmd_blockindex_is_near(const dmd_blockindex_t *index, uint64_t addr) {
  return addr - index->lowest < index->span;
}

/* The slow part of dmd_blockindex_find. */
dmd_placed_block_t *dmd_blockindex_search(const dmd_blockindex_t *index, uint64_t addr);

/* The innermost block that contains the address, or NULL. */
static inline dmd_placed_block_t *dmd_blockindex_find(const dmd_blockindex_t *index,
                                                      uint64_t addr) {
  /* Nearly all words of a program are not addresses: this is as far as they come. */
  return dmd_blockindex_is_near(index, addr) ? dmd_blockindex_search(index, addr) : NULL;
}

#endif
