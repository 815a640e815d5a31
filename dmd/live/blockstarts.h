/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * blockstarts.h: which addresses blocks of a block index start at.
 *
 * Nearly all pointers lead to the start of a block, and where a program's heap is large each search
 * in the index waits for memory. This is so small that it stays in the nearer caches: 16 bytes for
 * each KiB of the heap, with a bit for each 16 bytes that says whether a block starts there, and
 * the place of the first one. The place of any other is that and the number of bits before its own.
 *
 * It does not know all: not where a block starts in the middle of 16 bytes, or two start at one
 * address, nor what else starts in the same KiB; not blocks far from most others; and none of a
 * heap with less than one block a KiB. What it does not know the index does.
 *
 * Cost: at most 16 bytes a block, usually 3.
 *
 * Concurrency: that of blockindex.h.
 */
#ifndef DMD_LIVE_BLOCKSTARTS_H
#define DMD_LIVE_BLOCKSTARTS_H

#include "live/blockindex.h"

enum {
  DMD_STARTS_GRAIN_BITS = 4,                        /* 16 bytes have a bit */
  DMD_STARTS_LINE_BITS = DMD_STARTS_GRAIN_BITS + 6, /* 64 of them are a line */
};

typedef struct dmd_starts_line {
  uint64_t starts; /* 0 where not all are known */
  uint32_t first;  /* the place of the first one */
} dmd_starts_line_t;

typedef struct dmd_blockstarts {
  const dmd_env_t *env;
  dmd_starts_line_t *lines;
  uint64_t from, szB; /* the addresses that they are of */
} dmd_blockstarts_t;

/* The index must stay as it is as long as this lives. */
void dmd_blockstarts_init(dmd_blockstarts_t *starts, const dmd_blockindex_t *index);
void dmd_blockstarts_destroy(dmd_blockstarts_t *starts);

/* Starts to load what a look-up of this address wants into the caches. */
static inline void dmd_blockstarts_fetch(const dmd_blockstarts_t *starts, uint64_t addr) {
  uint64_t at = addr - starts->from;
  if (at < starts->szB)
    __builtin_prefetch(&starts->lines[at >> DMD_STARTS_LINE_BITS]);
}

static inline uint32_t dmd_count_bits(uint64_t bits) {
  const uint64_t pairs = UINT64_C(0x5555555555555555), fours = UINT64_C(0x3333333333333333);
  bits -= bits >> 1 & pairs;
  bits = (bits & fours) + (bits >> 2 & fours);
  bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* The place in the index, + 1, of the block that starts there, if it is known; else 0. */
static inline uint32_t dmd_blockstarts_find(const dmd_blockstarts_t *starts, uint64_t addr) {
  uint64_t at = addr - starts->from;
  if (at >= starts->szB || at % (1u << DMD_STARTS_GRAIN_BITS) != 0)
    return 0;
  const dmd_starts_line_t *line = &starts->lines[at >> DMD_STARTS_LINE_BITS];
  uint64_t bit = UINT64_C(1) << (at >> DMD_STARTS_GRAIN_BITS & 63);
  return line->starts & bit ? line->first + dmd_count_bits(line->starts & (bit - 1)) + 1 : 0;
}

#endif
