/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * slabrecords.h: the records (block.h) of the blocks that lie in slabs.
 *
 * They lie one behind the other, as the blocks do, in memory that is attached to the slab. To find
 * a block's record is to find its place in the slabs: there is no further table.
 *
 * A block's record holds something from dmd_slabrecord_add on, which comes after the block was
 * taken and before anybody looks for it. It then stays readable until the slab goes, whether its
 * block is taken or free; dmd_block_t.is_live says whose it is, see heap.h.
 *
 * Cost: 32 bytes for each block that a slab has room for, written from the first to the last that
 * was ever taken.
 *
 * Concurrency: that of blocks.h, of which it is a part.
 */
#ifndef DMD_LIVE_SLABRECORDS_H
#define DMD_LIVE_SLABRECORDS_H

#include "live/block.h"
#include "live/slabs.h"

/* The record of a block that was added. */
static inline dmd_block_t *dmd_slabrecord_at(const dmd_slab_place_t *place) {
  return (dmd_block_t *)(void *)place->slab->attached + place->number;
}

/* The same for a block that was just taken from the slabs; what it holds is undefined. */
static inline dmd_block_t *dmd_slabrecord_add(const dmd_slabs_t *slabs,
                                              const dmd_slab_place_t *place) {
  dmd_slab_t *slab = place->slab;
  if (slab->attached == NULL)
    dmd_slabs_attach(slabs, slab, "dmd.slabrecords", slab->n_blocks * sizeof(dmd_block_t));
  return dmd_slabrecord_at(place);
}

#endif
