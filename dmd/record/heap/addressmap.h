/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * addressmap.h: blocks that may start anywhere, found by their address. A part of record/heap/heap,
 * which defines the rules for blocks that nest or share an address; the locks of blocks.h guard it.
 *
 * Each 256 KiB of address space in which a block starts has a chunk of 4,096 slots, one per 64
 * bytes. Blocks that start in the same 64 bytes form a chain, lowest address first. So finding a
 * start takes one hash look-up for the chunk and a short chain. Slots take 1/16 of the address
 * space in use, records 36 bytes a block. Empty chunks and unused records are reused, never freed.
 *
 * If a block was not accessed for a while, neither its slot nor its record is in the processor's
 * caches, and waiting for memory dominates the cost. So a slot also has start bits that tell where
 * its blocks start, as long as all of them are plain: neither announced nor reported, nor about to
 * be moved. Adding or removing such a block then waits only for the slot, if the block is alone in
 * it.
 *
 * Limit: 2^28 - 1 blocks.
 */
#ifndef DMD_RECORD_HEAP_ADDRESSMAP_H
#define DMD_RECORD_HEAP_ADDRESSMAP_H

#include "base/map.h"
#include "base/pool.h"
#include "record/heap/block.h"

enum { DMD_CHUNK_BITS = 18 }; /* a chunk covers 256 KiB of address space */

typedef struct dmd_chunk dmd_chunk_t;

/* What most calls need comes first, so that it is in one cache line with the lock (shard.h). */
typedef struct dmd_addressmap {
  dmd_chunk_t *last;    /* the chunk last added to or removed from, or NULL */
  uint64_t last_number; /* its number; UINT64_MAX: none */
  dmd_pool_t blocks;
  dmd_map_t chunks;   /* of dmd_chunk_t, by chunk number */
  dmd_chunk_t *spare; /* unused chunks, all slots zero */
  const dmd_env_t *env;
} dmd_addressmap_t;

void dmd_addressmap_init(dmd_addressmap_t *slots, const dmd_env_t *env);
void dmd_addressmap_destroy(dmd_addressmap_t *slots);

/* Adds a block that starts at addr; all zero except for the slots' own fields. */
dmd_block_t *dmd_addressmap_add(dmd_addressmap_t *slots, uint64_t addr, bool is_plain);

/* Adds a plain block with these flags; writes nothing else except the slots' own fields. NULL if
 * this is impossible: a block starts there already or is not plain, or addr is not a multiple of
 * 16. */
dmd_block_t *dmd_addressmap_add_plain(dmd_addressmap_t *slots, uint64_t addr, uint32_t flags);

/* A block at addr is no longer plain. */
void dmd_addressmap_note_special(dmd_addressmap_t *slots, uint64_t addr);

/* Removes the block that starts at addr if it is known to be plain; false: unknown. Its record can
 * be read under this id until that is released. The record is being prefetched on return: read it
 * as late as possible. */
bool dmd_addressmap_take_out(dmd_addressmap_t *slots, uint64_t addr, uint32_t *id);
const dmd_block_t *dmd_addressmap_taken_out(const dmd_addressmap_t *slots, uint32_t id);
void dmd_addressmap_release(dmd_addressmap_t *slots, uint32_t id);

/* The block that starts at addr, or NULL. */
dmd_block_t *dmd_addressmap_find(const dmd_addressmap_t *slots, uint64_t addr);

/* The block added before this one at the same address; NULL if none. */
dmd_block_t *dmd_addressmap_find_older(const dmd_addressmap_t *slots, const dmd_block_t *block);

/* Removes the block that starts at addr and is not a chunk of a pool. Its record can be read until
 * the next block is added or removed. NULL if none. */
dmd_block_t *dmd_addressmap_remove(dmd_addressmap_t *slots, uint64_t addr);

/* Removes exactly this block, which starts at addr. */
void dmd_addressmap_remove_this(dmd_addressmap_t *slots, uint64_t addr, const dmd_block_t *block);

/* Moves this block to another address, in these or other slots; returns its new record. */
dmd_block_t *dmd_addressmap_move(dmd_addressmap_t *slots, uint64_t addr, dmd_block_t *block,
                                 dmd_addressmap_t *into, uint64_t to);

/* The first block that starts in [from, end), with its start in *start; NULL if none. Cost:
 * proportional to the number of slots in the range, or of all chunks if that is smaller. */
dmd_block_t *dmd_addressmap_find_from(const dmd_addressmap_t *slots, uint64_t from, uint64_t end,
                                      uint64_t *start);

/* The innermost block around addr, with its start in *start; NULL if none. No block is larger than
 * max_szB. Unless may_nest, the search stops at a block that ends before addr. */
dmd_block_t *dmd_addressmap_find_containing(const dmd_addressmap_t *slots, uint64_t addr,
                                            uint64_t max_szB, bool may_nest, uint64_t *start);

/* Iterates over all blocks, chunk by chunk, in address order, the latest first among equal
 * addresses. None may come or go meanwhile. Several dmd_addressmap_t without a common chunk can be
 * merged: always advance the one whose next chunk has the lowest address. */
typedef struct dmd_addressmap_walk {
  const dmd_addressmap_t *slots;
  uint32_t *order; /* places of the chunks, sorted */
  uint32_t next;   /* index into order */
} dmd_addressmap_walk_t;

void dmd_addressmap_walk_begin(dmd_addressmap_walk_t *walk, const dmd_addressmap_t *slots);

/* Gets the start of the next chunk; false at the end. */
bool dmd_addressmap_walk_at(const dmd_addressmap_walk_t *walk, uint64_t *addr);

/* Calls visit for every block of the next chunk, and advances. */
void dmd_addressmap_walk_on(dmd_addressmap_walk_t *walk,
                            void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx);
void dmd_addressmap_walk_end(dmd_addressmap_walk_t *walk);

/* Walks over all blocks. */
void dmd_addressmap_walk(const dmd_addressmap_t *slots,
                         void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx);

/* The same in the order of their records, which takes a fraction of the time. Blocks that were
 * taken out and not released are visited, too. */
void dmd_addressmap_each(const dmd_addressmap_t *slots,
                         void (*visit)(void *ctx, dmd_block_t *block), void *ctx);

#endif
