/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * quick.h: allocations and frees that do without the engine's lock.
 *
 * What an allocation needs to know beside its block is its thread's: the tag that it carries, and a
 * sampler. A copy of that is kept for each thread, where the thread alone looks at it, made anew
 * whenever the thread was in the engine, which is what changes it. With it the thread adds its
 * blocks under the lock of their part alone (blocks.h), and takes them out.
 *
 * Not all can be done so. Every function here may answer that nothing happened; the thread then
 * takes the engine's lock and does the same in the long way. So it is
 * - of a block that was reported or announced, since report sets and counters go with it,
 * - where no copy is good: at a thread's first event; in cumulative mode, which keeps groups; as
 * long as the thread carries a tag that may not be its own (scope.h: free scopes, coroutines); and
 *   where the owner says so, who has rules for tags.
 *
 * Whatever one thread does that makes another's copy wrong changes the state's generation, which a
 * copy knows. That happens when a tag moves from one thread to another, and when the first
 * coroutine begins one.
 *
 * Call order: dmd_live_refresh at the end of each event of the thread that had the engine's lock.
 *
 * Each thread has a sampler of its own here, so that a sum of sampled blocks is exact to as many
 * times the sample size as there are threads.
 *
 * Concurrency: a copy is its thread's, and dmd_live_refresh is called with the engine's lock; the
 * other functions without it.
 */
#ifndef DMD_LIVE_QUICK_H
#define DMD_LIVE_QUICK_H

#include "live/live.h"

/* All zero at first. */
typedef struct dmd_quick {
  uint32_t generation; /* of the state, when the rest was copied; 0: there is no copy */
  uint32_t tag;
  bool has_claim; /* a reporter is open, which notes what sizes the thread asks for */
  bool samples;   /* the sampler is there */
  bool is_exact;  /* it takes each block as it is, with its stack */
  dmd_sampler_t sampler;
} dmd_quick_t;

void dmd_live_refresh(dmd_live_t *live, uint32_t thread, dmd_quick_t *quick);

/* Whether the thread can allocate so. */
static inline bool dmd_live_is_quick(const dmd_live_t *live, const dmd_quick_t *quick) {
  return quick->generation != 0 &&
         quick->generation == __atomic_load_n(&live->generation, __ATOMIC_ACQUIRE);
}

/* As dmd_live_plan, of a thread that can. */
dmd_plan_t dmd_live_quick_plan(const dmd_live_t *live, dmd_quick_t *quick, uint64_t usable);

/* As dmd_live_add, of a thread that can. */
static inline bool dmd_live_quick_add(const dmd_live_t *live, const dmd_quick_t *quick,
                                      const dmd_new_block_t *new_block) {
  return dmd_blocks_quick_add(live->blocks, new_block, quick->tag);
}

/* As dmd_live_remove, of any thread. */
static inline bool dmd_live_quick_remove(const dmd_live_t *live, uint64_t addr, uint32_t stack) {
  return dmd_blocks_quick_remove(live->blocks, addr, stack);
}

/* Begins a realloc (see blocks.h), of any thread; NULL: not so. */
static inline dmd_block_t *dmd_live_quick_begin_move(const dmd_live_t *live, uint64_t addr) {
  return dmd_blocks_quick_begin_move(live->blocks, addr);
}

/* Ends one, of a thread that can allocate so. */
static inline bool dmd_live_quick_end_move(const dmd_live_t *live, const dmd_quick_t *quick,
                                           uint64_t addr, dmd_block_t *block,
                                           const dmd_new_block_t *now) {
  return dmd_blocks_quick_end_move(live->blocks, addr, block, now, quick->tag);
}

#endif
