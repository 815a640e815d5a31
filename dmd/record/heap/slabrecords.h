/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * slabrecords.h: the records (block.h) of the blocks in slabs. A part of blocks.h, whose locks
 * guard it.
 *
 * Records lie side by side in memory attached to the slab, in the order of its blocks. A block's
 * place in the slab thus gives its record without a further table.
 *
 * A record is defined from dmd_slabrecord_add on, which comes after the block was taken and before
 * anyone looks for it. It then stays readable until the slab goes, whether the block is taken or
 * free; dmd_block_t.is_live tells which, see heap.h.
 *
 * Cost: 36 bytes for each block that a slab has room for, written up to the last block ever taken.
 */
#ifndef DMD_RECORD_HEAP_SLABRECORDS_H
#define DMD_RECORD_HEAP_SLABRECORDS_H

#include "record/heap/block.h"
#include "record/heap/slabs.h"

/* The record of a block that was added. */
static inline dmd_block_t *dmd_slabrecord_at(const dmd_slab_place_t *place) {
  return (dmd_block_t *)(void *)place->slab->attached + place->number;
}

/* The record of a block just taken from the slabs; the contents are undefined. */
static inline dmd_block_t *dmd_slabrecord_add(const dmd_slabs_t *slabs,
                                              const dmd_slab_place_t *place) {
  dmd_slab_t *slab = place->slab;
  if (slab->attached == NULL)
    dmd_slabs_attach(slabs, slab, "dmd.slabrecords", slab->n_blocks * sizeof(dmd_block_t));
  return dmd_slabrecord_at(place);
}

#endif
