/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fastpath.h: the fast path: allocations and frees without the engine's lock.
 *
 * Besides the block itself, an allocation depends on its thread's current tag and a sampler. Each
 * thread keeps a private copy of these, refreshed whenever it was in the engine, since only there
 * they change. With the copy it adds and removes blocks under the lock of their shard alone
 * (blocks.h).
 *
 * Any function here may report that nothing happened; the thread then takes the slow path: it
 * repeats the operation with the engine's lock. That is necessary
 * - for a block that was reported or announced, since report sets and counters must be updated;
 * - if there is no valid copy: at a thread's first event; in cumulative mode, which keeps groups;
 *   while the thread carries a tag that may not be its own (scope.h: free scopes, coroutines), or
 *   that may have been left open, as the stack pointer shows; and
 *   with no_fast_path, for an owner that has rules for tags or no locks.
 *
 * When one thread invalidates another's copy, it changes the state's generation, which every copy
 * is compared with. This happens when a tag moves between threads, and when the first coroutine
 * begins one.
 *
 * Call order: dmd_live_refresh at the end of each event for which the thread had the engine's lock.
 *
 * Each thread has its own sampler, so the error bound of a sum over sampled blocks is the sample
 * size times the number of threads.
 *
 * Concurrency: a copy belongs to its thread. dmd_live_refresh needs the engine's lock; the other
 * functions do not.
 */
#ifndef DMD_RECORD_HEAP_FASTPATH_H
#define DMD_RECORD_HEAP_FASTPATH_H

#include "record/heap/live.h"

/* Zero-initialised. */
typedef struct dmd_fastpath {
  uint32_t generation; /* the state's generation at the time of the copy; 0: no copy */
  uint32_t tag;
  uint64_t tag_limit; /* above this stack pointer, the tag may have been left open */
  bool has_claim;     /* a reporter is open, which records the sizes that the thread asks for */
  bool samples;       /* the sampler is initialised */
  bool is_exact;      /* every block is recorded as it is, with its stack */
  dmd_sampler_t sampler;
  uint64_t not_newest; /* the complement of where the thread's last event allocated a block, which a
                          heap graph does not take for a pointer; 0: it did something else. After an
                          allocation with the engine's lock the host sets it */
} dmd_fastpath_t;

void dmd_live_refresh(dmd_live_t *live, uint32_t thread, dmd_fastpath_t *fastpath);

/* True if the thread may use the fast path for allocations. */
static inline bool dmd_live_is_fast(const dmd_live_t *live, const dmd_fastpath_t *fastpath) {
  return fastpath->generation != 0 &&
         fastpath->generation == __atomic_load_n(&live->generation, __ATOMIC_ACQUIRE);
}

/* dmd_live_plan for a thread that may use the fast path. */
dmd_plan_t dmd_live_fast_plan(const dmd_live_t *live, dmd_fastpath_t *fastpath, uint64_t usable);

/* dmd_live_add for a thread that may use the fast path. */
static inline bool dmd_live_fast_add(const dmd_live_t *live, dmd_fastpath_t *fastpath,
                                     const dmd_new_block_t *new_block) {
  fastpath->not_newest = ~new_block->addr;
  return dmd_blocks_fast_add(live->blocks, new_block, fastpath->tag);
}

/* dmd_live_remove for any thread. */
static inline bool dmd_live_fast_remove(const dmd_live_t *live, dmd_fastpath_t *fastpath,
                                        uint64_t addr, uint32_t stack) {
  bool is_temporary = fastpath->not_newest == ~addr;
  fastpath->not_newest = 0;
  return dmd_blocks_fast_remove(live->blocks, addr, stack, is_temporary);
}

/* Begins a realloc (see blocks.h) for any thread; NULL: take the slow path. */
static inline dmd_block_t *dmd_live_fast_begin_move(const dmd_live_t *live, uint64_t addr) {
  return dmd_blocks_fast_begin_move(live->blocks, addr);
}

/* Ends one, for a thread that may use the fast path. */
static inline bool dmd_live_fast_end_move(const dmd_live_t *live, dmd_fastpath_t *fastpath,
                                          uint64_t addr, dmd_block_t *block,
                                          const dmd_new_block_t *now) {
  fastpath->not_newest = ~now->addr;
  return dmd_blocks_fast_end_move(live->blocks, addr, block, now, fastpath->tag);
}

#endif
