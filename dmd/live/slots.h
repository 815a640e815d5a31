/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * slots.h: blocks that may start anywhere, found by their address.
 *
 * Each 1 MiB of address space in which a block starts has a chunk of 16,384 slots, one for 64
 * bytes, and blocks that start in the same 64 bytes are chained from their slot, lowest address
 * first. So finding a start takes one hash look-up of the chunk and a short chain; the slots take
 * 1/16 of the address space that the blocks take, the records 32 bytes a block. Chunks and records
 * that fall empty are used again, never given back.
 *
 * Of a block that nobody looked at for a while neither the slot nor the record is in the
 * processor's caches, and to wait for memory takes longer than all else. So a slot also says where
 * its blocks start, as long as all of them are plain: neither announced nor reported, nor about to
 * be moved. To add such a block and to take one out waits for the slot alone, where it is the only
 * one there.
 *
 * There can be 2^28 - 1 blocks.
 *
 * Part of live/heap, which says what holds for blocks that nest or share an address.
 *
 * Concurrency: that of blocks.h, of which it is a part.
 */
#ifndef DMD_LIVE_SLOTS_H
#define DMD_LIVE_SLOTS_H

#include "base/map.h"
#include "base/pool.h"
#include "live/block.h"

enum { DMD_CHUNK_BITS = 20 }; /* a chunk is for 1 MiB of address space */

typedef struct dmd_chunk dmd_chunk_t;

typedef struct dmd_slots {
  const dmd_env_t *env;
  dmd_pool_t blocks;
  dmd_map_t chunks;   /* of dmd_chunk_t, by chunk number */
  dmd_chunk_t *spare; /* emptied chunks, all slots zero */
  dmd_chunk_t *last;  /* the one that was added to or taken from last, or NULL */
} dmd_slots_t;

void dmd_slots_init(dmd_slots_t *slots, const dmd_env_t *env);
void dmd_slots_destroy(dmd_slots_t *slots);

/* A new block that starts at addr, zeroed but for the slots' own fields. */
dmd_block_t *dmd_slots_add(dmd_slots_t *slots, uint64_t addr, bool is_plain);

/* A new plain block with these flags, of which nothing else is written but the slots' own fields.
 * NULL: that cannot be done so, since one starts there already, or is not plain, or addr is no
 * multiple of 16. */
dmd_block_t *dmd_slots_add_plain(dmd_slots_t *slots, uint64_t addr, uint32_t flags);

/* A block at addr is plain no more. */
void dmd_slots_note_special(dmd_slots_t *slots, uint64_t addr);

/* Removes the block that starts at addr if it is known to be plain; false: nothing is known. What
 * it was can be read under this id until that is released. Its record is on its way when this
 * returns: better read it later. */
bool dmd_slots_take_out(dmd_slots_t *slots, uint64_t addr, uint32_t *id);
const dmd_block_t *dmd_slots_taken_out(const dmd_slots_t *slots, uint32_t id);
void dmd_slots_release(dmd_slots_t *slots, uint32_t id);

/* The block that starts at addr, or NULL. */
dmd_block_t *dmd_slots_find(const dmd_slots_t *slots, uint64_t addr);

/* The block that started at the same address before this one came; NULL: none. */
dmd_block_t *dmd_slots_find_older(const dmd_slots_t *slots, const dmd_block_t *block);

/* Removes the block that starts at addr and is not a pool's; what it was can be read until the next
 * one is added or removed. NULL when there is none. */
dmd_block_t *dmd_slots_remove(dmd_slots_t *slots, uint64_t addr);

/* The same of this one, which starts at addr, whatever it is. */
void dmd_slots_remove_this(dmd_slots_t *slots, uint64_t addr, const dmd_block_t *block);

/* This block starts elsewhere from now on, as another record of these or of other slots. */
dmd_block_t *dmd_slots_move(dmd_slots_t *slots, uint64_t addr, dmd_block_t *block,
                            dmd_slots_t *into, uint64_t to);

/* The first block that starts at from or later and before end, and its start in *start; NULL when
 * there is none. Cost: in proportion to the slots in between; to the chunks, if these are fewer
 * than what lies in between has. */
dmd_block_t *dmd_slots_find_from(const dmd_slots_t *slots, uint64_t from, uint64_t end,
                                 uint64_t *start);

/* The innermost block around addr, and its start in *start; NULL when there is none. No block is
 * larger than max_szB. Unless they may nest, one that ends before addr ends the search. */
dmd_block_t *dmd_slots_find_containing(const dmd_slots_t *slots, uint64_t addr, uint64_t max_szB,
                                       bool may_nest, uint64_t *start);

/* Goes over all blocks, chunk by chunk, in address order; of equal addresses the latest first. None
 * may come or go meanwhile. Slots that have no chunk in common can be gone over together: always on
 * with the one whose next chunk has the lowest address. */
typedef struct dmd_slots_walk {
  const dmd_slots_t *slots;
  uint32_t *order; /* places of the chunks */
  uint32_t next;   /* in it */
} dmd_slots_walk_t;

void dmd_slots_walk_begin(dmd_slots_walk_t *walk, const dmd_slots_t *slots);

/* Where the next chunk starts; false when there are no more. */
bool dmd_slots_walk_at(const dmd_slots_walk_t *walk, uint64_t *addr);

/* Calls visit for every block of that chunk, and goes on to the one after it. */
void dmd_slots_walk_on(dmd_slots_walk_t *walk,
                       void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx);
void dmd_slots_walk_end(dmd_slots_walk_t *walk);

/* The whole of it. */
void dmd_slots_walk(const dmd_slots_t *slots,
                    void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx);

#endif
