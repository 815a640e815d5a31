/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heap.h: every live block of the program, found by its address.
 *
 * A block's record (32 bytes) lies in the tool's own memory, out of reach of the program's stray
 * writes. It is found through slots: each 1 MiB of address space in which a block starts has a
 * chunk of 16,384 slots, one for 64 bytes, and blocks that start in the same 64 bytes are chained
 * from their slot, lowest address first. So finding a start takes one hash look-up of the chunk
 * and a chain of at most four malloc'd blocks; the slots take 1/16 of the heap's size, the records
 * 32 bytes a block. Chunks and records that fall empty are used again, never given back.
 *
 * Blocks may nest and may share an address: a program can announce the pieces of a malloc'd block
 * as blocks of their own. Of several with one address the latest is found, and removed, first.
 *
 * Addresses are 64-bit numbers whatever the word size, and any value is allowed. There can be
 * 2^32 - 1 blocks.
 */
#ifndef DMD_LIVE_HEAP_H
#define DMD_LIVE_HEAP_H

#include "base/map.h"
#include "base/pool.h"

#include <stdbool.h>

enum {
  DMD_BLOCK_ANNOUNCED = 1, /* by a client request, not by the allocator */
  DMD_BLOCK_SAMPLED = 2,   /* stands for req bytes of small blocks, see sample.h */
  DMD_BLOCK_UNSAMPLED = 4, /* small and passed over: not part of any dump */
  DMD_BLOCK_TWICE = 8      /* beside DMD_BLOCK_SAMPLED: stands for twice as much */
};

typedef struct dmd_block {
  uint32_t offset : 20; /* of its start in its 1 MiB of address space: the heap's own */
  uint32_t flags : 12;  /* DMD_BLOCK_... */
  uint32_t next;        /* in the slot's chain: the heap's own */
  uint64_t req;         /* requested bytes */
  uint32_t slop;        /* usable minus requested bytes */
  uint32_t stack;       /* where allocated, an id of live/stack; DMD_NONE: not recorded */
  uint32_t reports;     /* by whom reported: an id of a report set */
  uint16_t tag;         /* id of a tag name */
  uint16_t thread;      /* that allocated it */
} dmd_block_t;

typedef struct dmd_chunk dmd_chunk_t;

typedef struct dmd_heap {
  const dmd_env_t *env;
  dmd_pool_t blocks;
  dmd_map_t chunks;   /* of dmd_chunk_t, by chunk number */
  dmd_chunk_t *spare; /* emptied chunks, all slots zero */
  uint64_t n_blocks;
  uint64_t max_szB; /* the largest usable size ever noted: bounds the search for interiors */
  bool may_nest;    /* whether a block was ever announced */
} dmd_heap_t;

void dmd_heap_init(dmd_heap_t *heap, const dmd_env_t *env);
void dmd_heap_destroy(dmd_heap_t *heap);

/* A new block that starts at addr, zeroed but for the heap's own fields. The pointer is good until
 * the block is removed. Call dmd_heap_note_size once its sizes are set. */
dmd_block_t *dmd_heap_add(dmd_heap_t *heap, uint64_t addr);
void dmd_heap_note_size(dmd_heap_t *heap, const dmd_block_t *block);

/* The block that starts at addr, or NULL. */
dmd_block_t *dmd_heap_find(const dmd_heap_t *heap, uint64_t addr);

/* Removes the block that starts at addr and copies what it was to *removed; false: no such block.
 */
bool dmd_heap_remove(dmd_heap_t *heap, uint64_t addr, dmd_block_t *removed);

/* The innermost block whose usable bytes include addr (a block of none has its start), and its
 * start in *start; NULL when there is none. Cost: up to the largest block's size / 64 slots. */
dmd_block_t *dmd_heap_find_containing(const dmd_heap_t *heap, uint64_t addr, uint64_t *start);

/* Calls visit for every block, in address order; of equal addresses the latest first. visit may
 * change the fields that are not the heap's own; it must not add or remove blocks. */
void dmd_heap_walk(const dmd_heap_t *heap,
                   void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx);

static inline uint64_t dmd_block_usable(const dmd_block_t *block) {
  return block->req + block->slop;
}

#endif
