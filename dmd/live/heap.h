/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heap.h: every live block of the program, found by its address.
 *
 * A block's record (32 bytes) lies in the host's own memory, out of reach of the program's stray
 * writes. If the host takes small blocks from slabs (slabs.h), their records lie in the same order
 * (slabrecords.h): a record is found by its slab and one division. All others, and blocks that the
 * program announces, are found through slots (slots.h), which know nothing of where memory comes
 * from.
 *
 * Blocks may nest and may share an address: a program can announce the pieces of a malloc'd block
 * as blocks of their own. Of several with one address the latest is found, and removed, first; only
 * chunks of memory pools (DMD_BLOCK_POOLED) are removed by themselves, which nobody frees by their
 * address alone.
 *
 * Addresses are 64-bit numbers whatever the word size, and any value is allowed. There can be
 * 2^32 - 1 blocks in slabs, and 2^28 - 1 that are not.
 *
 * Part of live/blocks, whose only user it is.
 *
 * Concurrency: that of blocks.h.
 */
#ifndef DMD_LIVE_HEAP_H
#define DMD_LIVE_HEAP_H

#include "live/block.h"
#include "live/slabs.h"
#include "live/slots.h"

/* What dmd_heap_remove removed. */
typedef struct dmd_removed {
  dmd_block_t *block;      /* as it was */
  dmd_slab_place_t memory; /* in a slab; slab is NULL where it lies in none */
  bool stays;              /* block can be read until dmd_heap_release */
} dmd_removed_t;

typedef struct dmd_heap {
  const dmd_env_t *env;
  dmd_slabs_t *slabs; /* NULL: none */
  dmd_slots_t slots;
  uint64_t n_blocks;
  uint64_t max_szB; /* the largest usable size ever noted: bounds the search for interiors */
  bool may_nest;    /* whether blocks may lie within others, or be where others are */
} dmd_heap_t;

/* slabs: where the host takes small blocks from; NULL: none. Each block that it takes it adds here
 * before it asks the heap for anything, and gives back through here. */
void dmd_heap_init(dmd_heap_t *heap, const dmd_env_t *env, dmd_slabs_t *slabs);
void dmd_heap_destroy(dmd_heap_t *heap);

/* A new block that starts at addr, zeroed but for its flags (DMD_BLOCK_...) and the heap's own
 * fields. The pointer is good until the block is removed. Call dmd_heap_note_size once its sizes
 * are set. */
dmd_block_t *dmd_heap_add(dmd_heap_t *heap, uint64_t addr, uint32_t flags);
void dmd_heap_note_size(dmd_heap_t *heap, const dmd_block_t *block);

/* As dmd_heap_add, of a heap without slabs and of a block that was not announced, and only its
 * flags and the heap's own fields are written. NULL: nothing happened, and it cannot be done so. */
static inline dmd_block_t *dmd_heap_add_plain(dmd_heap_t *heap, uint64_t addr, uint32_t flags) {
  dmd_block_t *block = dmd_slots_add_plain(&heap->slots, addr, flags);
  heap->n_blocks += block != NULL;
  return block;
}

/* The block that starts at addr, or NULL. */
dmd_block_t *dmd_heap_find(const dmd_heap_t *heap, uint64_t addr);

/* The one that came before this block, which starts at addr as well; NULL: none. */
dmd_block_t *dmd_heap_find_older(const dmd_heap_t *heap, uint64_t addr, const dmd_block_t *block);

/* Removes the block that starts at addr and is not a pool's; false where none does. In a large heap
 * its record has to come from memory; this starts to load it, so read it later. If removed->stays,
 * the block is still found until dmd_heap_release, which must come before anything else is added,
 * removed or walked. Otherwise the record can be read until the next block is added or removed. */
bool dmd_heap_remove(dmd_heap_t *heap, uint64_t addr, dmd_removed_t *removed);

/* Removes this block, which starts at addr and in no slab, whatever else does, or moves it, which
 * was announced. It can be read until the next one is added or removed; one that moves is another
 * record from then on. */
void dmd_heap_remove_this(dmd_heap_t *heap, uint64_t addr, dmd_block_t *block,
                          dmd_removed_t *removed);
dmd_block_t *dmd_heap_move_announced(dmd_heap_t *heap, uint64_t addr, dmd_block_t *block,
                                     dmd_heap_t *into, uint64_t to);

/* The first announced block that is not a pool's and lies between from and end, and its start in
 * *start; NULL when there is none. */
dmd_block_t *dmd_heap_find_announced(const dmd_heap_t *heap, uint64_t from, uint64_t end,
                                     uint64_t *start);

/* Gives back the memory of what was removed, if it belongs to a slab. */
void dmd_heap_release(dmd_heap_t *heap, const dmd_removed_t *removed);

/* The innermost block whose usable bytes include addr (a block of none has its start), and its
 * start in *start; NULL when there is none. Cost: constant in a slab, else up to the largest
 * block's size / 64 slots. */
dmd_block_t *dmd_heap_find_containing(const dmd_heap_t *heap, uint64_t addr, uint64_t *start);

/* Calls visit for every block, in address order; of equal addresses the latest first. visit may
 * change the fields that are not the heap's own; it must not add or remove blocks. */
void dmd_heap_walk(const dmd_heap_t *heap,
                   void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx);

#endif
