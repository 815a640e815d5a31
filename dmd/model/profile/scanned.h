/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * scanned.h: addresses and contents of blocks in a profile of mode scan.
 *
 * In that mode each block is its own group; for each group id this has the block's address and the
 * words of its memory from its start on. Memory that could not be read, or was never written, is
 * zeroes. Groups of other modes, and groups added later, have no entry.
 *
 * Call dmd_scanned_add for groups in ascending order, each followed by its words; then only read.
 * Memory: 16 bytes per group, and 8 per word.
 */
#ifndef DMD_MODEL_PROFILE_SCANNED_H
#define DMD_MODEL_PROFILE_SCANNED_H

#include "base/pool.h"

#include <stdbool.h>

typedef struct dmd_scanned_block {
  uint64_t addr;           /* 0: unknown */
  uint32_t first, n_words; /* its words: index of the first in `words`, and their number */
} dmd_scanned_block_t;

typedef struct dmd_scanned {
  dmd_pool_t blocks; /* by group id */
  dmd_pool_t words;  /* uint64_t */
} dmd_scanned_t;

void dmd_scanned_init(dmd_scanned_t *scanned, const dmd_env_t *env);
void dmd_scanned_destroy(dmd_scanned_t *scanned);

/* Adds the block of this group, at this address. */
void dmd_scanned_add(dmd_scanned_t *scanned, uint32_t group, uint64_t addr);

/* Adds the next word of the last block. */
void dmd_scanned_add_word(dmd_scanned_t *scanned, uint64_t word);

static inline bool dmd_scanned_is_empty(const dmd_scanned_t *scanned) {
  return scanned->blocks.last == 0;
}

/* NULL if unknown. */
static inline dmd_scanned_block_t *dmd_scanned_of(const dmd_scanned_t *scanned, uint32_t group) {
  return group <= scanned->blocks.last ? DMD_POOL_AT(&scanned->blocks, dmd_scanned_block_t, group)
                                       : NULL;
}

/* The block's i-th word, from 0. */
static inline uint64_t *dmd_scanned_word(const dmd_scanned_t *scanned,
                                         const dmd_scanned_block_t *block, uint32_t i) {
  return DMD_POOL_AT(&scanned->words, uint64_t, block->first + i);
}

#endif
