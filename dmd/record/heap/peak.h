/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * peak.h: when the heap was largest, and the blocks that it then consisted of. A part of blocks.h,
 * whose locks guard it.
 *
 * All shards share one state: the bytes now, the peak, and a mark. Each block gets a number when it
 * is added, mark + 1; a new peak advances the mark. So a block is of the peak if its number is at
 * most the mark, and a new peak takes over all live blocks in constant time. A block of the peak
 * that is freed is remembered by what a dump shows of it, until the next peak. Entries carry the
 * mark of their time, so that a new peak clears them in constant time, too.
 *
 * Precision: exact while one thread at a time allocates, and that is known
 * (dmd_waiting_t.is_alone). Frees that are delayed (blocks.h) are counted before anything counts as
 * a peak. Threads that run in parallel would fight for the sum. So each shard publishes its bytes
 * only if they changed by more than a step, which is wider for those that publish often; and a sum
 * that exceeds the peak by more than a larger step only asks for a new peak. The next allocation
 * then takes all shard locks, adds up exactly, and makes the peak what it finds. `highest` records
 * the largest published sum: the true peak is at most that, plus the step of each shard.
 *
 * Sizes are requested bytes. Blocks that the program announces do not count, since they may lie
 * within others. If blocks are sampled, sums are estimates.
 *
 * Cost: 4 bytes a block; for each distinct kind of block of the peak that was freed up to 64 bytes,
 * which are reused at the next peak. Freed blocks of the peak go to a log first, which a new peak
 * clears, so that only what outlives it is looked up.
 */
#ifndef DMD_RECORD_HEAP_PEAK_H
#define DMD_RECORD_HEAP_PEAK_H

#include "base/env.h"
#include "base/lock.h"
#include "record/heap/block.h"
#include "record/heap/timekeeper.h"

/* Bytes and blocks that exist, and bytes ever allocated. In fractions if blocks are sampled, as in
 * shard.h. */
typedef struct dmd_heap_sum {
  uint64_t szB, n, alloc_szB;
} dmd_heap_sum_t;

/* Blocks of the peak that were freed and are equal. */
typedef struct dmd_gone {
  uint64_t req;
  uint32_t slop, stack;
  uint32_t mark; /* valid while this is the mark; else the place is empty */
  uint32_t num;
  uint16_t tag, thread;
  uint8_t flags; /* DMD_BLOCK_... */
} dmd_gone_t;

enum { DMD_PEAK_LOG = 256 };

/* What belongs to one shard. */
typedef struct dmd_peak_share {
  dmd_heap_sum_t unpublished; /* changes that the common sum lacks, made in parallel with others */
  uint32_t mark;              /* what follows is void if the peak's mark is another */
  uint32_t n_published;       /* how often it has published */
  uint32_t n_log;             /* blocks that are gone and not in the table yet */
  uint32_t n_gone, n_places;  /* used and all places of the table; the latter 0 or a power of two */
  dmd_gone_t *gone;           /* a hash table */
  dmd_gone_t *log;            /* DMD_PEAK_LOG of them; NULL: not needed yet */
} dmd_peak_share_t;

struct dmd_shard;

typedef struct dmd_peak {
  /* Read at each event, rarely written. */
  _Alignas(DMD_CACHE_LINE) bool is_on;
  bool is_parallel;         /* threads have run in parallel since the last restart */
  bool is_wanted;           /* the next allocation is to take all locks and raise the peak */
  uint32_t mark;            /* from 1 */
  const char *is_alone;     /* not 0 while there is one thread */
  uint64_t step, least_new; /* while threads run in parallel: how much a shard's bytes change before
                               it publishes them; the sum that asks for a new peak */
  uint64_t least_share;     /* the least sum of all steps */
  const dmd_env_t *env;
  /* Written at each event of a thread that is alone. */
  _Alignas(DMD_CACHE_LINE) dmd_heap_sum_t now;
  dmd_heap_sum_t most; /* the peak */
  uint64_t late; /* bit i: shards i, i + 64... have frees of a thread alone that are not counted */
  uint64_t next_time; /* a sum so large reads the clock */
  uint64_t ms;        /* when the peak was reached */
  uint64_t highest;   /* largest published sum */
  dmd_clock_t clock;
  struct dmd_shard *shards;
  uint32_t n_shards;
} dmd_peak_t;

/* No peak yet. clock may be set afterwards, and is_on. */
void dmd_peak_init(dmd_peak_t *peak, const dmd_env_t *env, const dmd_waiting_t *waiting,
                   struct dmd_shard *shards, uint32_t n_shards);
void dmd_peak_destroy_share(dmd_peak_share_t *share, const dmd_env_t *env);

/* True if this is the only thread. */
static inline bool dmd_peak_is_alone(const dmd_peak_t *peak) {
  return __atomic_load_n(peak->is_alone, __ATOMIC_RELAXED) != 0;
}

static inline bool dmd_peak_has(const dmd_peak_t *peak, const dmd_block_t *block) {
  return block->born <= peak->mark;
}

static inline bool dmd_peak_is_wanted(const dmd_peak_t *peak) {
  return __builtin_expect(__atomic_load_n(&peak->is_wanted, __ATOMIC_RELAXED), 0);
}

/* The next allocation is to take all locks. */
static inline void dmd_peak_want(dmd_peak_t *peak) {
  __atomic_store_n(&peak->is_wanted, true, __ATOMIC_RELAXED);
}

/* Notes that threads run in parallel from now on. */
void dmd_peak_go_parallel(dmd_peak_t *peak);

static inline void dmd_peak_see_parallel(dmd_peak_t *peak) {
  if (__builtin_expect(!__atomic_load_n(&peak->is_parallel, __ATOMIC_RELAXED), 0))
    dmd_peak_go_parallel(peak);
}

/* A free in this shard is not counted yet. Those of threads in parallel need no note: once there
 * were any, all shards are asked before a peak. */
static inline void dmd_peak_note_late(dmd_peak_t *peak, uint32_t shard) {
  if (dmd_peak_is_alone(peak))
    peak->late |= (uint64_t)1 << shard % 64;
  else
    dmd_peak_see_parallel(peak);
}

/* Adds to the common sum what a shard has not published. */
void dmd_peak_publish(dmd_peak_t *peak, dmd_peak_share_t *share);

/* Counts the frees that are not counted yet. */
void dmd_peak_settle(dmd_peak_t *peak);

/* The numbers of blocks are used up. */
void dmd_peak_renumber(dmd_peak_t *peak);

void dmd_peak_read_clock(dmd_peak_t *peak);

/* Makes this moment the peak: always, or if the heap is larger than ever. All shard locks are held,
 * or the thread is alone. */
void dmd_peak_restart(dmd_peak_t *peak);
void dmd_peak_raise(dmd_peak_t *peak);

/* The true peak is at most this much larger. */
uint64_t dmd_peak_error(const dmd_peak_t *peak);

/* Visits the blocks of the peak that are gone: n blocks each. */
void dmd_peak_walk_gone(const dmd_peak_t *peak, const dmd_peak_share_t *share,
                        void (*visit)(void *ctx, const dmd_block_t *block, uint32_t n), void *ctx);

/* Makes room in the log. */
void dmd_peak_work_off(const dmd_peak_t *peak, dmd_peak_share_t *share);

/* A block of the peak is gone. */
static inline void dmd_peak_remember(const dmd_peak_t *peak, dmd_peak_share_t *share,
                                     const dmd_block_t *block) {
  if (share->mark != peak->mark) {
    share->mark = peak->mark;
    share->n_log = share->n_gone = 0;
  }
  if (__builtin_expect(share->log == NULL || share->n_log == DMD_PEAK_LOG, 0))
    dmd_peak_work_off(peak, share);
  share->log[share->n_log++] = (dmd_gone_t){.req = block->req,
                                            .slop = block->slop,
                                            .stack = block->stack,
                                            .mark = share->mark,
                                            .num = 1,
                                            .tag = block->tag,
                                            .thread = block->thread,
                                            .flags = block->flags};
}

static inline void dmd_peak_publish_much(dmd_peak_t *peak, dmd_peak_share_t *share) {
  dmd_peak_see_parallel(peak);
  int64_t by = (int64_t)share->unpublished.szB;
  if ((uint64_t)(by < 0 ? -by : by) > __atomic_load_n(&peak->step, __ATOMIC_RELAXED))
    dmd_peak_publish(peak, share);
}

/* The only thread added a block. Frees that are not counted yet are, before anything counts as a
 * peak. */
static inline void dmd_peak_grow(dmd_peak_t *peak, uint64_t n, uint64_t szB) {
  if (peak->now.szB + szB > peak->most.szB && peak->late != 0)
    dmd_peak_settle(peak);
  peak->now.szB += szB;
  peak->now.n += n;
  peak->now.alloc_szB += szB;
  if (peak->now.szB <= peak->most.szB)
    return;
  peak->most = peak->now;
  if (__builtin_expect(++peak->mark >= UINT32_MAX - 1, 0))
    dmd_peak_renumber(peak);
  if (__builtin_expect(peak->now.szB >= peak->next_time, 0))
    dmd_peak_read_clock(peak);
}

/* A block was added, which counts as n and szB. */
static inline void dmd_peak_add(dmd_peak_t *peak, dmd_peak_share_t *share, dmd_block_t *block,
                                uint64_t n, uint64_t szB) {
  if (!peak->is_on)
    return;
  if (block->flags & DMD_BLOCK_ANNOUNCED) {
    block->born = UINT32_MAX;
    return;
  }
  block->born = peak->mark + 1;
  if (dmd_peak_is_alone(peak)) {
    dmd_peak_grow(peak, n, szB);
    return;
  }
  share->unpublished.szB += szB;
  share->unpublished.n += n;
  share->unpublished.alloc_szB += szB;
  dmd_peak_publish_much(peak, share);
}

/* A block is gone, which counted as n and szB. */
static inline void dmd_peak_remove(dmd_peak_t *peak, dmd_peak_share_t *share,
                                   const dmd_block_t *block, uint64_t n, uint64_t szB) {
  if (!peak->is_on || (block->flags & DMD_BLOCK_ANNOUNCED))
    return;
  if (dmd_peak_has(peak, block))
    dmd_peak_remember(peak, share, block);
  bool is_alone = dmd_peak_is_alone(peak);
  dmd_heap_sum_t *sum = is_alone ? &peak->now : &share->unpublished;
  sum->szB -= szB;
  sum->n -= n;
  if (!is_alone)
    dmd_peak_publish_much(peak, share);
}

#endif
