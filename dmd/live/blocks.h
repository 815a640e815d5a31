/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * blocks.h: the live blocks of the program, and what they amount to.
 *
 * Blocks come, change and go through here; they are found by their address (heap.h), counted, and
 * remembered for a while after they are gone (freed.h).
 *
 * A free does not wait for memory. In a large heap the record of the block that goes is in none of
 * the processor's caches, and to wait for it would take longer than all else that a free does. So
 * from then on nobody finds that block; but its record is read and counted, and its memory given
 * back, only when the next block goes or when somebody asks for something that depends on it. All
 * of this stays in here: the struct is blocks.c's own, and whatever a function answers is as if the
 * free had been counted at once.
 *
 * Only blocks of slabs are counted later. Any other is counted before dmd_blocks_remove returns, so
 * that its memory can go back at once: nothing here points to it any more.
 *
 * Counts are as Memcheck makes them, so that the two can be compared: an invalid free is a free; a
 * realloc is a free and an allocation, also where it fails or stays in place.
 *
 * Concurrency: nothing locks; one thread at a time for each of these. Everything hangs off the
 * struct, so that a host with many threads can have several, each with its part of the addresses
 * and a lock of its own, and add their totals up. That lock covers heap.h, slots.h, slabrecords.h
 * and freed.h, which are parts of it, and what is read or written of a block's record.
 */
#ifndef DMD_LIVE_BLOCKS_H
#define DMD_LIVE_BLOCKS_H

#include "base/env.h"
#include "live/block.h"
#include "live/freed.h"
#include "live/slabs.h"

typedef struct dmd_blocks dmd_blocks_t;

typedef struct dmd_new_block {
  uint64_t addr;
  uint64_t req, usable; /* bytes */
  uint32_t stack;       /* DMD_NONE: not captured */
  uint32_t thread;
  uint32_t tag;   /* that it bears if its thread carries none, an id of a tag; DMD_NONE: none */
  uint32_t flags; /* DMD_BLOCK_... */
} dmd_new_block_t;

typedef struct dmd_totals {
  uint64_t n_allocs, n_frees, alloc_szB; /* of the whole run; requested bytes */
  uint64_t n_blocks, in_use_szB;         /* live ones; their requested bytes */
  uint64_t freed_reported;               /* blocks freed while reported, since the last clear */
} dmd_totals_t;

/* What the live blocks with one tag amount to. Those that sampling passed over count as well. */
typedef struct dmd_tag_sum {
  uint64_t usable, n_blocks; /* bytes; blocks */
} dmd_tag_sum_t;

typedef enum {
  DMD_REMOVE_FAILED, /* no block starts there */
  DMD_REMOVE_DONE,
  DMD_REMOVE_MEMORY /* its memory is not a slab's, and the host's to take back */
} dmd_remove_t;

/* slabs: where the host takes the memory of small blocks from, see heap.h; NULL: nowhere.
 * max_freed: blocks to remember after they are freed. */
dmd_blocks_t *dmd_blocks_create(const dmd_env_t *env, dmd_slabs_t *slabs, uint32_t max_freed);

void dmd_blocks_destroy(dmd_blocks_t *blocks);

/* ---- Blocks come, change and go. ---- */

/* A block was allocated; it bears this tag. Returns it; the pointer is good until the block is
 * removed. */
const dmd_block_t *dmd_blocks_add(dmd_blocks_t *blocks, const dmd_new_block_t *new_block,
                                  uint32_t tag);

/* The block at addr that is not a pool's is gone, freed at this stack (DMD_NONE: not captured). */
dmd_remove_t dmd_blocks_remove(dmd_blocks_t *blocks, uint64_t addr, uint32_t stack);

/* A live block keeps its address and takes on these values; its reports are dropped. */
const dmd_block_t *dmd_blocks_renew(dmd_blocks_t *blocks, const dmd_new_block_t *now, uint32_t tag);

/* An announced block gets a new size and keeps everything else; nothing is counted. */
void dmd_blocks_resize_announced(dmd_blocks_t *blocks, dmd_block_t *block, uint64_t req);

/* This announced block, which starts at addr, is gone, freed at this stack (DMD_NONE: not
 * captured), which counts as a free; or it moved, with a new size, and keeps everything else, which
 * counts as nothing. One that moves is another record from then on. */
void dmd_blocks_remove_announced(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                 uint32_t stack);
dmd_block_t *dmd_blocks_move_announced(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                       uint64_t to, uint64_t req);

/* A realloc to this many bytes failed. */
void dmd_blocks_count_failed_realloc(dmd_blocks_t *blocks, uint64_t req);

/* ---- Who is there. Of a block that is found only `reports` may be changed. ---- */

/* The block that starts at addr, or NULL. */
dmd_block_t *dmd_blocks_find(const dmd_blocks_t *blocks, uint64_t addr);

/* The same of a block that free and realloc are about: no chunk of a pool. */
dmd_block_t *dmd_blocks_find_freeable(const dmd_blocks_t *blocks, uint64_t addr);

/* The first announced block that is not a pool's and lies between from and end, and its start in
 * *start; NULL when there is none. Cost: 1/64 of the bytes in between. */
dmd_block_t *dmd_blocks_find_announced(const dmd_blocks_t *blocks, uint64_t from, uint64_t end,
                                       uint64_t *start);

/* The innermost block whose usable bytes include addr (a block of none has its start), and its
 * start in *start; NULL when there is none. Cost: constant in a slab, else up to the largest
 * block's size / 64 slots. */
dmd_block_t *dmd_blocks_find_containing(dmd_blocks_t *blocks, uint64_t addr, uint64_t *start);

/* Another block that starts at addr, the latest of those that came before this one; NULL: none. */
dmd_block_t *dmd_blocks_find_older(const dmd_blocks_t *blocks, uint64_t addr,
                                   const dmd_block_t *block);

/* Whether blocks may lie in others: false as long as none was announced. */
bool dmd_blocks_may_nest(const dmd_blocks_t *blocks);

/* Calls gone(ctx, block, stack) for each block from now on that was reported and is freed or
 * renewed at this stack, or DMD_NONE. That may be a little later (see above), unless
 * dmd_blocks_settle is called, after which nothing is left to do. */
void dmd_blocks_watch_reported(dmd_blocks_t *blocks,
                               void (*gone)(void *ctx, const dmd_block_t *block, uint32_t stack),
                               void *ctx);
void dmd_blocks_settle(dmd_blocks_t *blocks);

/* Calls visit for every block, in address order; of equal addresses the latest first. visit must
 * not add or remove blocks. */
void dmd_blocks_walk(dmd_blocks_t *blocks,
                     void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx);

/* The block that started at addr and was freed last, or NULL. */
const dmd_freed_block_t *dmd_blocks_find_freed(dmd_blocks_t *blocks, uint64_t addr);

/* ---- What they amount to. ---- */

dmd_totals_t dmd_blocks_totals(dmd_blocks_t *blocks);

/* In constant time. All zero for an id that no block has borne. */
dmd_tag_sum_t dmd_blocks_tag_sum(dmd_blocks_t *blocks, uint32_t tag);

/* From now on freed_reported counts from 0. */
void dmd_blocks_clear_freed_reported(dmd_blocks_t *blocks);

#endif
