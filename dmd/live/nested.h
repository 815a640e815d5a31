/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * nested.h: blocks that lie in others, so that no byte of the heap counts twice.
 *
 * A program may announce the pieces of a block that it got from malloc. A byte then is in two
 * blocks. It belongs to the innermost one, and whoever reported one of the others reported it as
 * well: a pool has what is left of it beside its pieces, and a piece has its own reports and those
 * of its pool.
 *
 * Cost: nothing without announced blocks; else a block index (live/blockindex.h) while it is made,
 * and about 60 bytes for each block that lies in another or has one in it.
 *
 * Concurrency: the blocks must stay as they are as long as it lives: their locks are held, or the
 * program's threads are stopped. Reading it then needs no lock.
 */
#ifndef DMD_LIVE_NESTED_H
#define DMD_LIVE_NESTED_H

#include "base/table.h"
#include "live/blocks.h"

typedef struct dmd_nesting {
  const dmd_block_t *block;
  const dmd_block_t *outer; /* the block that it lies in, or NULL */
  uint64_t inner_szB;       /* usable bytes of it that are those of blocks in it */
} dmd_nesting_t;

typedef struct dmd_nested {
  dmd_pool_t pool; /* of dmd_nesting_t */
  dmd_table_t index;
} dmd_nested_t;

/* The blocks must stay as they are, and *nested where it is, until it is destroyed. */
void dmd_nested_init(dmd_nested_t *nested, const dmd_env_t *env, dmd_blocks_t *blocks);
void dmd_nested_destroy(dmd_nested_t *nested);

/* The usable bytes that were in two blocks, once for each more. */
uint64_t dmd_nested_szB(const dmd_nested_t *nested);

/* What there is to say of a block; NULL: it lies in none, and none lies in it. */
const dmd_nesting_t *dmd_nested_find(const dmd_nested_t *nested, const dmd_block_t *block);

#endif
