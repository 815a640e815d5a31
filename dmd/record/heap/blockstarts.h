/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * blockstarts.h: a compact table of the addresses at which the blocks of a block index start.
 *
 * Nearly all pointers lead to the start of a block, and in a large heap each search in the index
 * waits for memory. This table is small enough for the nearer caches: 16 bytes for each KiB of the
 * heap, holding one bit per 16 bytes that says whether a block starts there, and the index place of
 * the first such block. Counting bits gives the place of the others.
 *
 * The table is incomplete, and the caller asks the index for what it does not know: lines in which
 * a block does not start at a multiple of 16 or two start at one address; blocks far from most
 * others; and heaps with less than one block per KiB.
 *
 * Cost: at most 16 bytes a block, usually 3. Concurrency: as for blockindex.h.
 */
#ifndef DMD_RECORD_HEAP_BLOCKSTARTS_H
#define DMD_RECORD_HEAP_BLOCKSTARTS_H

#include "record/heap/blockindex.h"

enum {
  DMD_STARTS_GRAIN_BITS = 4,                        /* one bit for 16 bytes */
  DMD_STARTS_LINE_BITS = DMD_STARTS_GRAIN_BITS + 6, /* 64 bits make a line */
};

typedef struct dmd_starts_line {
  uint64_t starts; /* a bit for each start; 0 if not all starts of the line are known */
  uint32_t first;  /* index place of the first start */
} dmd_starts_line_t;

typedef struct dmd_blockstarts {
  const dmd_env_t *env;
  dmd_starts_line_t *lines;
  uint64_t from, szB; /* address range that the table covers */
} dmd_blockstarts_t;

/* The index must not change while the table exists. */
void dmd_blockstarts_init(dmd_blockstarts_t *starts, const dmd_blockindex_t *index);
void dmd_blockstarts_destroy(dmd_blockstarts_t *starts);

/* Prefetches what a look-up of this address reads. */
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

/* Index place + 1 of the block that starts at addr; 0 if the table does not know one. */
static inline uint32_t dmd_blockstarts_find(const dmd_blockstarts_t *starts, uint64_t addr) {
  uint64_t at = addr - starts->from;
  if (at >= starts->szB || at % (1u << DMD_STARTS_GRAIN_BITS) != 0)
    return 0;
  const dmd_starts_line_t *line = &starts->lines[at >> DMD_STARTS_LINE_BITS];
  uint64_t bit = UINT64_C(1) << (at >> DMD_STARTS_GRAIN_BITS & 63);
  return line->starts & bit ? line->first + dmd_count_bits(line->starts & (bit - 1)) + 1 : 0;
}

#endif
