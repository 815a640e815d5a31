/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * scanned.h: of a profile of mode scan, where each block was, and what was in it.
 *
 * In that mode each block is a group of its own; by the group's id this has the block's address and
 * the words of its memory, from the block's start on. Memory that could not be read, or that
 * nobody ever wrote, is zeroes. Groups of other modes, and such as were added to what a file holds,
 * have nothing here.
 *
 * Call order: dmd_scanned_add for groups in ascending order, after each its words; then only
 * reading. Memory: 16 bytes a group, and 8 for each word.
 *
 * Concurrency: nothing locks; that of the profile.
 */
#ifndef DMD_PROFILE_SCANNED_H
#define DMD_PROFILE_SCANNED_H

#include "base/pool.h"

#include <stdbool.h>

typedef struct dmd_scanned_block {
  uint64_t addr;           /* 0: not known */
  uint32_t first, n_words; /* its words: so many, the first of which is that element of `words` */
} dmd_scanned_block_t;

typedef struct dmd_scanned {
  dmd_pool_t blocks; /* by group id */
  dmd_pool_t words;  /* uint64_t */
} dmd_scanned_t;

void dmd_scanned_init(dmd_scanned_t *scanned, const dmd_env_t *env);
void dmd_scanned_destroy(dmd_scanned_t *scanned);

/* The block of the group with this id was at this address. */
void dmd_scanned_add(dmd_scanned_t *scanned, uint32_t group, uint64_t addr);

/* The next word of the block that was added last. */
void dmd_scanned_add_word(dmd_scanned_t *scanned, uint64_t word);

static inline bool dmd_scanned_is_empty(const dmd_scanned_t *scanned) {
  return scanned->blocks.last == 0;
}

/* NULL where nothing is known. */
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
