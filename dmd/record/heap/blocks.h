/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * blocks.h: the live blocks of the program and their totals.
 *
 * All blocks come, change and go through here. They are found by address (heap.h), counted, and
 * remembered for a while after they are freed (freed.h).
 *
 * Counts follow Memcheck's, so that the two can be compared: an invalid free counts as a free; a
 * realloc counts as a free and an allocation, even if it fails or stays in place.
 *
 * Delayed frees: a free does not wait for memory. A freed block can no longer be found, but its
 * record is read and counted, and its memory given back, only at the next free or when a result
 * depends on it. Callers never see the difference (blocks.c, shard.c).
 *
 * Shards: a host whose threads run in parallel spreads the blocks over several shards (shard.h) by
 * 256 KiB of address space, each with a lock of its own. Results are as if there were one shard,
 * except that the order of remembered frees is approximate. A host with slabs has one shard.
 *
 * Sampling: with --sample-interval only few blocks are recorded, and each stands for others as well
 * (model/profile/profile.h). Totals and tag sums are then estimates. A Bloom filter (bloom.h) tells
 * without a lock that an address was not sampled.
 *
 * Concurrency: the functions belong to the thread that has the engine's lock
 * (record/engine/engine.h), except those of the fast path at the end, which need no lock. Each
 * function takes the shard locks that it needs, and they stay taken until dmd_blocks_let_go: until
 * then no block of these shards comes, goes or changes, and returned pointers stay valid. Call that
 * once, at the end of an event. A host without locks (waiting is NULL) calls from one thread at a
 * time and need not let go.
 *
 * A shard's lock guards its heap.h, addressmap.h and the records of its slabs, and the fields of
 * block records. Lock order: the engine's lock, shard locks, the lock of freed.h, then whatever the
 * host's memory functions take. The holder of the engine's lock may hold several shard locks, taken
 * in any order; other threads wait for at most one, and only while they hold none.
 */
#ifndef DMD_RECORD_HEAP_BLOCKS_H
#define DMD_RECORD_HEAP_BLOCKS_H

#include "base/env.h"
#include "base/lock.h"
#include "model/profile/translate.h"
#include "record/heap/block.h"
#include "record/heap/bloom.h"
#include "record/heap/freed.h"
#include "record/heap/peak.h"
#include "record/heap/slabs.h"

typedef struct dmd_blocks dmd_blocks_t;

typedef struct dmd_new_block {
  uint64_t addr;
  uint64_t req, usable; /* bytes */
  uint32_t stack;       /* DMD_NONE: not captured */
  uint32_t thread;
  uint32_t tag;   /* the tag it gets if its thread carries none (a tag id); DMD_NONE: none */
  uint32_t flags; /* DMD_BLOCK_... */
} dmd_new_block_t;

typedef struct dmd_totals {
  uint64_t n_allocs, n_frees, alloc_szB; /* over the whole run; requested bytes */
  uint64_t n_blocks, in_use_szB;         /* live blocks; their requested bytes */
  uint64_t freed_reported; /* blocks that were freed while reported, since the last clear */
} dmd_totals_t;

/* Sum over the live blocks with one tag, blocks that sampling left out included. */
typedef struct dmd_tag_sum {
  uint64_t usable, n_blocks; /* bytes; blocks */
} dmd_tag_sum_t;

typedef enum {
  DMD_REMOVE_FAILED, /* no block starts there */
  DMD_REMOVE_DONE,
  DMD_REMOVE_MEMORY /* done; the memory is not in a slab: the host has to free it */
} dmd_remove_t;

enum { DMD_BLOCKS_MAX_SHARDS = 256 };

typedef struct dmd_blocks_config {
  dmd_slabs_t *slabs;           /* where the host takes small blocks from, see heap.h; NULL: none */
  uint32_t max_freed;           /* number of freed blocks to remember, at least; 0: none */
  uint32_t n_shards;            /* number of shards, rounded up to a power of two; 0 counts as 1 */
  const dmd_waiting_t *waiting; /* for the shard locks; NULL: no locks */
  uint64_t sample_interval;     /* 0: all blocks of the program are recorded */
  bool records_peak;            /* see peak.h */
  bool records_timeline;        /* see timekeeper.h; only with the peak */
  bool records_lifetimes;       /* see ages.h; only with the peak, and not if blocks are sampled */
  dmd_clock_t clock;            /* for the time of the peak, and the timeline */
  dmd_clock_t instructions;     /* for the time of the peak, and lifetimes; only if threads do not
                                   run in parallel */
  dmd_resident_t resident;      /* for the timeline */
  bool dumps_at_peak;           /* as the next */
  uint64_t dump_every_ms, dump_every_szB, dump_above_szB; /* see dmd_watch_t; only with the peak */
  dmd_resident_t used;                                    /* likewise */
} dmd_blocks_config_t;

dmd_blocks_t *dmd_blocks_create(const dmd_env_t *env, const dmd_blocks_config_t *config);

void dmd_blocks_destroy(dmd_blocks_t *blocks);

/* The Bloom filter of recorded blocks if blocks are sampled; else NULL. */
dmd_bloom_t *dmd_blocks_bloom(const dmd_blocks_t *blocks);

/* ---- Adding, changing and removing blocks. ---- */

/* Adds a newly allocated block with this tag. The returned pointer is valid until the block is
 * removed. */
const dmd_block_t *dmd_blocks_add(dmd_blocks_t *blocks, const dmd_new_block_t *new_block,
                                  uint32_t tag);

/* Removes the block at addr, freed at this stack (DMD_NONE: not captured). Never removes a chunk of
 * a pool. */
dmd_remove_t dmd_blocks_remove(dmd_blocks_t *blocks, uint64_t addr, uint32_t stack);

/* A live block keeps its address and takes on these values; its reports are dropped. */
const dmd_block_t *dmd_blocks_renew(dmd_blocks_t *blocks, const dmd_new_block_t *now, uint32_t tag);

/* Changes the size of this announced block at addr. Everything else stays, and nothing is
 * counted. */
void dmd_blocks_resize_announced(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                 uint64_t req);

/* This announced block at addr was freed at this stack (DMD_NONE: not captured), which counts as a
 * free; or it moved and has a new size, which counts as nothing. A moved block has a new record,
 * which is returned. */
void dmd_blocks_remove_announced(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                 uint32_t stack);
dmd_block_t *dmd_blocks_move_announced(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                       uint64_t to, uint64_t req);

/* Counts a realloc to req bytes that failed. */
void dmd_blocks_count_failed_realloc(dmd_blocks_t *blocks, uint64_t req);

/* ---- Lookup. Callers may change only `reports` of the block that they get: directly if it has
 * some already, else with this function. ---- */

void dmd_blocks_set_reports(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                            uint32_t reports);

/* The block that starts at addr, or NULL. */
dmd_block_t *dmd_blocks_find(dmd_blocks_t *blocks, uint64_t addr);

/* Like dmd_blocks_find, for free and realloc: ignores chunks of pools. */
dmd_block_t *dmd_blocks_find_freeable(dmd_blocks_t *blocks, uint64_t addr);

/* The first announced block between from and end that is not a chunk of a pool, with its start in
 * *start; NULL if none. Cost: reads 1/64 of the bytes in between. */
dmd_block_t *dmd_blocks_find_announced(dmd_blocks_t *blocks, uint64_t from, uint64_t end,
                                       uint64_t *start);

/* The innermost block whose usable bytes include addr (an empty block contains its start), with its
 * start in *start; NULL if none. Cost: constant in a slab, else up to the largest block's size / 64
 * slots. */
dmd_block_t *dmd_blocks_find_containing(dmd_blocks_t *blocks, uint64_t addr, uint64_t *start);

/* Another block that starts at addr: the latest one added before this block; NULL if none. */
dmd_block_t *dmd_blocks_find_older(dmd_blocks_t *blocks, uint64_t addr, const dmd_block_t *block);

/* True if blocks may lie within other blocks: false until one is announced. */
bool dmd_blocks_may_nest(const dmd_blocks_t *blocks);

/* From now on calls gone(ctx, block, stack) for each reported block that is freed or renewed at
 * this stack (may be DMD_NONE). The call may come a little later (delayed frees, see above);
 * dmd_blocks_settle makes all that are pending. */
void dmd_blocks_watch_reported(dmd_blocks_t *blocks,
                               void (*gone)(void *ctx, const dmd_block_t *block, uint32_t stack),
                               void *ctx);
void dmd_blocks_settle(dmd_blocks_t *blocks);

/* Calls visit for every block in address order, the latest first among equal addresses. visit must
 * not add or remove blocks. */
void dmd_blocks_walk(dmd_blocks_t *blocks,
                     void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx);

/* The most recently freed block that started at addr, or NULL. Valid until the next call. */
const dmd_freed_block_t *dmd_blocks_find_freed(dmd_blocks_t *blocks, uint64_t addr);

/* ---- Totals. ---- */

dmd_totals_t dmd_blocks_totals(dmd_blocks_t *blocks);

/* Constant time. All zero for an id that no block has carried. */
dmd_tag_sum_t dmd_blocks_tag_sum(dmd_blocks_t *blocks, uint32_t tag);

/* Resets freed_reported to 0. */
void dmd_blocks_clear_freed_reported(dmd_blocks_t *blocks);

/* ---- The peaks: the largest heap so far, and since the last dump; see peak.h for how exact they
 * are. ---- */

/* Both include this moment. `recent` is not known if the largest heap of all was since the last
 * dump, or there was none. Returns false if peaks are not recorded. */
bool dmd_blocks_peak(dmd_blocks_t *blocks, dmd_moment_t *largest, dmd_moment_t *recent);

/* A dump is done: the peak since the last dump begins with this moment. */
void dmd_blocks_begin_peak(dmd_blocks_t *blocks);

/* The blocks of the peak since the last dump: those live blocks that were, and those that are gone,
 * which are n blocks each. If the largest heap was earlier: its blocks. Valid after
 * dmd_blocks_peak, until blocks come or go. */
bool dmd_blocks_was_at_peak(const dmd_blocks_t *blocks, const dmd_block_t *block);
void dmd_blocks_walk_gone(dmd_blocks_t *blocks,
                          void (*visit)(void *ctx, const dmd_block_t *block, uint32_t n),
                          void *ctx);

void dmd_blocks_walk_earlier_peak(dmd_blocks_t *blocks,
                                  void (*visit)(void *ctx, const dmd_block_t *block, uint32_t n),
                                  void *ctx);

/* What was freed of a stack so far, see ages.h; NULL: nothing, or lifetimes are not recorded. Valid
 * until blocks come or go. */
bool dmd_blocks_has_lifetimes(const dmd_blocks_t *blocks);
const dmd_lifetime_t *dmd_blocks_lifetime(const dmd_blocks_t *blocks, uint32_t stack);
uint32_t dmd_blocks_last_freed_stack(const dmd_blocks_t *blocks);

/* The most resident memory that was seen at a point or a mark of the timeline; 0: unknown. */
uint64_t dmd_blocks_most_resident(const dmd_blocks_t *blocks);

/* Why a dump is due (dmd_watch_t), and it is no longer; NULL: none is. */
const char *dmd_blocks_take_due(dmd_blocks_t *blocks);

/* This is a forked child: forgets the peak, of which now is the largest so far, and the timeline.
 */
void dmd_blocks_forked(dmd_blocks_t *blocks);

/* ---- The timeline, see timekeeper.h. ---- */

/* Adds a mark of this moment: the program's, with this text; or this dump, with its label or
 * NULL. */
void dmd_blocks_mark(dmd_blocks_t *blocks, const char *text, uint64_t dump);

/* Fills in the timeline of the profile that ids translate to, up to this moment. */
void dmd_blocks_tell_timeline(dmd_blocks_t *blocks, dmd_translation_t *ids);

/* ---- For a host that passes realloc on to the program's allocator. ----
 *
 * Another thread may get the block's old address as soon as the allocator has moved it, but the
 * realloc may also fail. So the block is marked first: from then on it is not found by its address,
 * and another block may be added there, but counts and walks still include it. When the allocator
 * has answered, the block is either dropped (which counts as a free) and the new one added, or put
 * back as it was. The pointer stays valid in between even if locks are released. */

/* Marks the block that starts at addr and is not a chunk of a pool; NULL if none. */
dmd_block_t *dmd_blocks_begin_move(dmd_blocks_t *blocks, uint64_t addr);

/* Ends the move of the block, which started at addr: it was freed at this stack, or it became this
 * new block, which carries this tag. */
void dmd_blocks_drop(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block, uint32_t stack);
const dmd_block_t *dmd_blocks_end_move(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                       const dmd_new_block_t *now, uint32_t tag);

/* Ends the move of a block that stayed as it was: a realloc to req bytes failed. */
void dmd_blocks_put_back(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block, uint64_t req);

/* ---- Shards. ---- */

/* Takes the locks of all shards. A dump does this first, so that it sees one moment. */
void dmd_blocks_hold_all(dmd_blocks_t *blocks);

/* Releases all shard locks taken since the last call. */
void dmd_blocks_let_go(dmd_blocks_t *blocks);

/* ---- Fast path: takes only a shard's lock, and releases it before it returns. Only for hosts with
 * locks. If a function returns false, nothing happened, and the thread must repeat the call with
 * the engine's lock. ---- */

/* False if a block starts there already: its free was missed, or it was announced. */
bool dmd_blocks_fast_add(dmd_blocks_t *blocks, const dmd_new_block_t *new_block, uint32_t tag);

/* False if no block starts there, or one that was announced or reported. is_temporary: it was
 * allocated by the last event of this thread (ages.h). */
bool dmd_blocks_fast_remove(dmd_blocks_t *blocks, uint64_t addr, uint32_t stack, bool is_temporary);

/* The fast path of dmd_blocks_begin_move and dmd_blocks_end_move. The first returns NULL and the
 * second false also if the shard locks are not enough. A move begun on one path may be ended on the
 * other. */
dmd_block_t *dmd_blocks_fast_begin_move(dmd_blocks_t *blocks, uint64_t addr);
bool dmd_blocks_fast_end_move(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                              const dmd_new_block_t *now, uint32_t tag);

#endif
