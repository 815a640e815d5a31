/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heap.h: every live block of the program, found by its address.
 *
 * A block's record (32 bytes) lies in the tool's own memory, out of reach of the program's stray
 * writes. Small blocks lie in slabs (slabs.h), and so do their records, in the same order: to find
 * one is to find its slab and to divide. All others, and blocks that the program announces, are
 * found through slots (slots.h).
 *
 * Blocks may nest and may share an address: a program can announce the pieces of a malloc'd block
 * as blocks of their own. Of several with one address the latest is found, and removed, first.
 *
 * Addresses are 64-bit numbers whatever the word size, and any value is allowed. There can be
 * 2^32 - 1 blocks.
 */
#ifndef DMD_LIVE_HEAP_H
#define DMD_LIVE_HEAP_H

#include "live/block.h"
#include "live/slabs.h"
#include "live/slots.h"

/* What dmd_heap_remove removed. */
typedef struct dmd_removed {
  const dmd_block_t *block; /* as it was; NULL: none */
  dmd_slab_block_t memory;  /* of a slab, or none */
  bool stays;               /* block can be read until dmd_heap_release */
} dmd_removed_t;

typedef struct dmd_heap {
  const dmd_env_t *env;
  dmd_slabs_t slabs; /* the host takes blocks from them */
  dmd_slots_t slots;
  dmd_removed_t removed; /* and not released yet: its record says that it is live still */
  uint64_t n_blocks;
  uint64_t max_szB; /* the largest usable size ever noted: bounds the search for interiors */
  bool may_nest;    /* whether blocks may lie within others, or be where others are */
} dmd_heap_t;

/* There are no slabs until dmd_slabs_use says where they come from. */
void dmd_heap_init(dmd_heap_t *heap, const dmd_env_t *env);
void dmd_heap_destroy(dmd_heap_t *heap);

/* A new block that starts at addr, zeroed but for its flags (DMD_BLOCK_...) and the heap's own
 * fields. The pointer is good until the block is removed. Call dmd_heap_note_size once its sizes
 * are set. */
dmd_block_t *dmd_heap_add(dmd_heap_t *heap, uint64_t addr, uint32_t flags);
void dmd_heap_note_size(dmd_heap_t *heap, const dmd_block_t *block);

/* The block that starts at addr, or NULL. */
dmd_block_t *dmd_heap_find(const dmd_heap_t *heap, uint64_t addr);

/* Removes the block that starts at addr; false where none does. What it was is in heap->removed. In
 * a large heap its record has to come from memory, and is on its way when this returns: better read
 * it later. Where it does not stay, it can be read until the next block is added or removed. What
 * was removed before must have been released. */
bool dmd_heap_remove(dmd_heap_t *heap, uint64_t addr);

/* Gives the memory of what was removed back, where it is a slab's. Nothing is removed any more. */
void dmd_heap_release(dmd_heap_t *heap);

/* The innermost block whose usable bytes include addr (a block of none has its start), and its
 * start in *start; NULL when there is none. Cost: constant in a slab, else up to the largest
 * block's size / 64 slots. */
dmd_block_t *dmd_heap_find_containing(const dmd_heap_t *heap, uint64_t addr, uint64_t *start);

/* Calls visit for every block, in address order; of equal addresses the latest first. visit may
 * change the fields that are not the heap's own; it must not add or remove blocks. */
void dmd_heap_walk(const dmd_heap_t *heap,
                   void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx);

#endif
