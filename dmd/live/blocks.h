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
 * dmd_blocks_remove does so of blocks of slabs, and counts any other before it returns.
 * dmd_blocks_quick_remove, of a host that has no slabs, takes the block out at once, and leaves the
 * record of what it was for later. Either way nothing here points to the block's memory when that
 * goes back.
 *
 * Counts are as Memcheck makes them, so that the two can be compared: an invalid free is a free; a
 * realloc is a free and an allocation, also where it fails or stays in place.
 *
 * Parts. A host whose threads run at the same time has the blocks in several parts (live/part.h),
 * each with some of the addresses, 1 MiB here and 1 MiB there, and a lock of its own. All that is
 * asked here is answered as if there were one part. (Which of the freed blocks that are remembered
 * came first is not quite certain: each part tells of its own later, some at a time.) Where slabs
 * hold the blocks there is one part.
 *
 * Samples. With --sample-interval few blocks of the program are here, and each stands for others as
 * well (profile/sampled.h). Totals and sums of tags are then estimates. Where such a block may be
 * is seen without a lock: marks.h.
 *
 * Concurrency: the functions belong to the thread that has the engine's lock (engine/engine.h),
 * but for the quick ones at the end, which need no lock. A function takes the locks of the parts
 * that it needs, and they stay taken until dmd_blocks_let_go: until then no block of theirs comes,
 * goes or changes, and what was found stays good. So call that once, at the end of an event. A
 * part's lock covers heap.h, slots.h and slabrecords.h, which are parts of it, and what is read or
 * written of a block's record; of locks of ours it comes after the engine's. freed.h has a lock of
 * its own, after those of parts, and before those that the host's functions for memory take.
 * Several are held by who has the engine's lock, in any order: who has not waits for one at most,
 * and with none held. A host without locks (waiting is NULL) calls from one thread at a time, and
 * need not let go.
 */
#ifndef DMD_LIVE_BLOCKS_H
#define DMD_LIVE_BLOCKS_H

#include "base/env.h"
#include "base/lock.h"
#include "live/block.h"
#include "live/freed.h"
#include "live/marks.h"
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

enum { DMD_BLOCKS_MAX_PARTS = 256 };

typedef struct dmd_blocks_config {
  dmd_slabs_t *slabs; /* where the host takes small blocks from, see heap.h; NULL: nowhere */
  uint32_t max_freed; /* blocks to remember after they are freed, at least; 0: none */
  uint32_t n_parts;   /* rounded up to a power of two, 0 to 1 */
  const dmd_waiting_t *waiting; /* for the parts' locks; NULL: there are none */
  uint64_t sample_interval;     /* 0: all blocks of the program are here */
} dmd_blocks_config_t;

dmd_blocks_t *dmd_blocks_create(const dmd_env_t *env, const dmd_blocks_config_t *config);

void dmd_blocks_destroy(dmd_blocks_t *blocks);

/* Where blocks are, if they are samples; else NULL. */
dmd_marks_t *dmd_blocks_marks(const dmd_blocks_t *blocks);

/* ---- Blocks come, change and go. ---- */

/* A block was allocated; it bears this tag. Returns it; the pointer is good until the block is
 * removed. */
const dmd_block_t *dmd_blocks_add(dmd_blocks_t *blocks, const dmd_new_block_t *new_block,
                                  uint32_t tag);

/* The block at addr that is not a pool's is gone, freed at this stack (DMD_NONE: not captured). */
dmd_remove_t dmd_blocks_remove(dmd_blocks_t *blocks, uint64_t addr, uint32_t stack);

/* A live block keeps its address and takes on these values; its reports are dropped. */
const dmd_block_t *dmd_blocks_renew(dmd_blocks_t *blocks, const dmd_new_block_t *now, uint32_t tag);

/* This announced block, which starts at addr, gets a new size and keeps everything else; nothing is
 * counted. */
void dmd_blocks_resize_announced(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                 uint64_t req);

/* This announced block, which starts at addr, is gone, freed at this stack (DMD_NONE: not
 * captured), which counts as a free; or it moved, with a new size, and keeps everything else, which
 * counts as nothing. One that moves is another record from then on. */
void dmd_blocks_remove_announced(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                 uint32_t stack);
dmd_block_t *dmd_blocks_move_announced(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                       uint64_t to, uint64_t req);

/* A realloc to this many bytes failed. */
void dmd_blocks_count_failed_realloc(dmd_blocks_t *blocks, uint64_t req);

/* ---- Who is there. Of a block that is found only `reports` may be changed: as one likes where it
 * has some, else with this function. ---- */

void dmd_blocks_set_reports(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                            uint32_t reports);

/* The block that starts at addr, or NULL. */
dmd_block_t *dmd_blocks_find(dmd_blocks_t *blocks, uint64_t addr);

/* The same of a block that free and realloc are about: no chunk of a pool. */
dmd_block_t *dmd_blocks_find_freeable(dmd_blocks_t *blocks, uint64_t addr);

/* The first announced block that is not a pool's and lies between from and end, and its start in
 * *start; NULL when there is none. Cost: 1/64 of the bytes in between. */
dmd_block_t *dmd_blocks_find_announced(dmd_blocks_t *blocks, uint64_t from, uint64_t end,
                                       uint64_t *start);

/* The innermost block whose usable bytes include addr (a block of none has its start), and its
 * start in *start; NULL when there is none. Cost: constant in a slab, else up to the largest
 * block's size / 64 slots. */
dmd_block_t *dmd_blocks_find_containing(dmd_blocks_t *blocks, uint64_t addr, uint64_t *start);

/* Another block that starts at addr, the latest of those that came before this one; NULL: none. */
dmd_block_t *dmd_blocks_find_older(dmd_blocks_t *blocks, uint64_t addr, const dmd_block_t *block);

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

/* The block that started at addr and was freed last, or NULL. Good until the next call. */
const dmd_freed_block_t *dmd_blocks_find_freed(dmd_blocks_t *blocks, uint64_t addr);

/* ---- What they amount to. ---- */

dmd_totals_t dmd_blocks_totals(dmd_blocks_t *blocks);

/* In constant time. All zero for an id that no block has borne. */
dmd_tag_sum_t dmd_blocks_tag_sum(dmd_blocks_t *blocks, uint32_t tag);

/* From now on freed_reported counts from 0. */
void dmd_blocks_clear_freed_reported(dmd_blocks_t *blocks);

/* ---- A host that passes realloc on to the program's allocator. ----
 *
 * As soon as the allocator has moved a block, another thread may get its old place; before that, it
 * may fail. So the block is marked before: from then on it is not found by its address and its
 * place may be another's, but it is there for all that counts or visits blocks, as it was. Once the
 * allocator has answered, it is either gone, which counts as a free, and the new one is added; or
 * as it was before. In between the pointer is good whatever locks are let go. */

/* Marks the block that starts at addr and is not a pool's; NULL: there is none. */
dmd_block_t *dmd_blocks_begin_move(dmd_blocks_t *blocks, uint64_t addr);

/* The block, which started at addr, is gone, freed at this stack; or became this one, which bears
 * this tag. */
void dmd_blocks_drop(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block, uint32_t stack);
const dmd_block_t *dmd_blocks_end_move(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                       const dmd_new_block_t *now, uint32_t tag);

/* It stayed as it was; a realloc to req bytes failed. */
void dmd_blocks_put_back(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block, uint64_t req);

/* ---- Parts. ---- */

/* Takes the locks of all parts: a dump does that first, so that it sees one moment. */
void dmd_blocks_hold_all(dmd_blocks_t *blocks);

/* Lets go of all locks that were taken since the last time. */
void dmd_blocks_let_go(dmd_blocks_t *blocks);

/* ---- What needs no lock but that of a part, which is taken meanwhile: of a host with locks. ----
 *
 * False: nothing happened, and the thread has to come with the engine's lock. */

/* False where a block starts there already: its free was missed, or it was announced. */
bool dmd_blocks_quick_add(dmd_blocks_t *blocks, const dmd_new_block_t *new_block, uint32_t tag);

/* False where none starts there, or one that was announced or reported. */
bool dmd_blocks_quick_remove(dmd_blocks_t *blocks, uint64_t addr, uint32_t stack);

/* See above. The first answers NULL, and the second false, also where the locks do not do. What was
 * begun in one way may be ended in the other. */
dmd_block_t *dmd_blocks_quick_begin_move(dmd_blocks_t *blocks, uint64_t addr);
bool dmd_blocks_quick_end_move(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                               const dmd_new_block_t *now, uint32_t tag);

#endif
