/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * nested.h: blocks that lie within others, so that no byte of the heap counts twice.
 *
 * A program may announce the pieces of a block that it got from malloc; a byte then is in two
 * blocks. It belongs to the innermost one, and reports of the outer blocks apply to it as well: a
 * pool keeps only the bytes outside of its pieces, and a piece has its own reports and those of its
 * pool.
 *
 * Cost: nothing without announced blocks; else a block index (record/heap/blockindex.h) during
 * construction, and about 60 bytes for each block that lies in another or contains one.
 *
 * Concurrency: blocks must not change while this exists: the caller holds the shard locks, or the
 * program's threads are stopped. Reading it then needs no lock.
 */
#ifndef DMD_RECORD_HEAP_NESTED_H
#define DMD_RECORD_HEAP_NESTED_H

#include "base/table.h"
#include "record/heap/blocks.h"

typedef struct dmd_nesting {
  const dmd_block_t *block;
  const dmd_block_t *outer; /* the block that contains it, or NULL */
  uint64_t inner_szB;       /* usable bytes of it that belong to blocks within it */
} dmd_nesting_t;

typedef struct dmd_nested {
  dmd_pool_t pool; /* of dmd_nesting_t */
  dmd_table_t index;
} dmd_nested_t;

/* Blocks must not change, and *nested must not move, until it is destroyed. */
void dmd_nested_init(dmd_nested_t *nested, const dmd_env_t *env, dmd_blocks_t *blocks);
void dmd_nested_destroy(dmd_nested_t *nested);

/* Usable bytes counted more than once: each byte once for every block beyond the first. */
uint64_t dmd_nested_szB(const dmd_nested_t *nested);

/* The nesting of a block; NULL if it is in no block and contains none. */
const dmd_nesting_t *dmd_nested_find(const dmd_nested_t *nested, const dmd_block_t *block);

#endif
