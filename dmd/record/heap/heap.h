/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heap.h: every live block of the program, found by its address. A part of record/heap/blocks, its
 * only user, whose locks guard it.
 *
 * A block's record (36 bytes) lies in the host's own memory, out of reach of the program's stray
 * writes. If the host takes small blocks from slabs (slabs.h), their records lie in the same order
 * (heap.c): a record is found from its slab by one division. All other blocks, and blocks
 * that the program announces, are found through slots (addressmap.h), which know nothing of where
 * memory comes from.
 *
 * Blocks may nest and share an address: a program can announce the pieces of a malloc'd block as
 * blocks of their own. Among several at one address the latest is found and removed first. Chunks
 * of memory pools (DMD_BLOCK_POOLED) are only removed explicitly, since no program frees them by
 * address alone.
 *
 * Addresses are 64-bit numbers whatever the word size, and any value is allowed. Limits: 2^32 - 1
 * blocks in slabs, 2^28 - 1 others.
 */
#ifndef DMD_RECORD_HEAP_HEAP_H
#define DMD_RECORD_HEAP_HEAP_H

#include "record/heap/addressmap.h"
#include "record/heap/block.h"
#include "record/heap/slabs.h"

/* The result of dmd_heap_remove. */
typedef struct dmd_removed {
  dmd_block_t *block;      /* its record */
  dmd_slab_place_t memory; /* its place in a slab; slab is NULL if it is in none */
  bool stays;              /* block can be read until dmd_heap_release */
} dmd_removed_t;

typedef struct dmd_heap {
  dmd_addressmap_t slots;
  uint64_t n_blocks;
  uint64_t max_szB; /* largest usable size so far: bounds searches for interior addresses */
  bool may_nest;    /* blocks may lie within others, or share addresses */
  const dmd_env_t *env;
  dmd_slabs_t *slabs; /* NULL: none */
} dmd_heap_t;

/* slabs: where the host takes small blocks from; NULL: none. The host must add each block that it
 * takes before it asks the heap for anything, and give it back through the heap. */
void dmd_heap_init(dmd_heap_t *heap, const dmd_env_t *env, dmd_slabs_t *slabs);
void dmd_heap_destroy(dmd_heap_t *heap);

/* Adds a block that starts at addr; all zero except for its flags (DMD_BLOCK_...) and the heap's
 * own fields. The pointer is valid until the block is removed. Call dmd_heap_note_size once its
 * sizes are set. */
dmd_block_t *dmd_heap_add(dmd_heap_t *heap, uint64_t addr, uint32_t flags);
void dmd_heap_note_size(dmd_heap_t *heap, const dmd_block_t *block);

/* The fast path of dmd_heap_add, for a heap without slabs and a block that is not announced. Writes
 * only the flags and the heap's own fields. Returns NULL, and changes nothing, if the fast path
 * does not apply. */
static inline dmd_block_t *dmd_heap_add_plain(dmd_heap_t *heap, uint64_t addr, uint32_t flags) {
  dmd_block_t *block = dmd_addressmap_add_plain(&heap->slots, addr, flags);
  heap->n_blocks += block != NULL;
  return block;
}

/* The block that starts at addr, or NULL. */
dmd_block_t *dmd_heap_find(const dmd_heap_t *heap, uint64_t addr);

/* The block added before this one at the same address addr; NULL if none. */
dmd_block_t *dmd_heap_find_older(const dmd_heap_t *heap, uint64_t addr, const dmd_block_t *block);

/* Removes the block that starts at addr and is not a chunk of a pool; false if none. In a large
 * heap its record has to come from memory; this starts the load, so read it as late as possible. If
 * removed->stays, the block can still be found until dmd_heap_release, which must precede any other
 * addition, removal or walk. Otherwise the record can be read until the next block is added or
 * removed. */
bool dmd_heap_remove(dmd_heap_t *heap, uint64_t addr, dmd_removed_t *removed);

/* Removes this block, which starts at addr and is not in a slab, even if other blocks start there;
 * or moves it, if it was announced. A removed record can be read until the next block is added or
 * removed; a moved block gets a new record. */
void dmd_heap_remove_this(dmd_heap_t *heap, uint64_t addr, dmd_block_t *block,
                          dmd_removed_t *removed);
dmd_block_t *dmd_heap_move_announced(dmd_heap_t *heap, uint64_t addr, dmd_block_t *block,
                                     dmd_heap_t *into, uint64_t to);

/* The first announced block between from and end that is not a chunk of a pool, with its start in
 * *start; NULL if none. */
dmd_block_t *dmd_heap_find_announced(const dmd_heap_t *heap, uint64_t from, uint64_t end,
                                     uint64_t *start);

/* Gives back the memory of a removed block, if it is in a slab. */
void dmd_heap_release(dmd_heap_t *heap, const dmd_removed_t *removed);

/* The innermost block whose usable bytes include addr (an empty block contains its start), with its
 * start in *start; NULL if none. Cost: constant in a slab, else up to the largest block's size / 64
 * slots. */
dmd_block_t *dmd_heap_find_containing(const dmd_heap_t *heap, uint64_t addr, uint64_t *start);

/* Calls visit for every block in address order, the latest first among equal addresses. visit may
 * change fields that are not the heap's own; it must not add or remove blocks. */
void dmd_heap_walk(const dmd_heap_t *heap,
                   void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx);

/* The same in the order of the records in memory, which takes a fraction of the time. not_new: the
 * complement of the address where a block of a slab is about to be added, whose record is undefined
 * as yet; UINT64_MAX: none. A complement that stays behind on the stack is no pointer. No block is
 * taken out and not released (addressmap.h). */
void dmd_heap_each(const dmd_heap_t *heap, uint64_t not_new,
                   void (*visit)(void *ctx, dmd_block_t *block), void *ctx);

#endif
