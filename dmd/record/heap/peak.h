/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * peak.h: when the heap was largest, and the blocks that it then consisted of. A part of blocks.h,
 * whose locks guard it.
 *
 * Each block gets a number when it is added. A block is of the peak if its number is at most the
 * peak's mark. So a new peak takes over all live blocks in constant time. A block of the peak that
 * is freed is remembered by what a dump shows of it, until the next peak. Entries carry the mark of
 * their time, so that a new peak clears them in constant time, too.
 *
 * The peak is found in retrospect: a heap is never larger than right before a free, or now. So an
 * allocation compares nothing, it only adds its bytes to the sum. A free takes the next
 * number, and notes the sum of all allocations before it (dmd_instant_t). It may be counted later
 * (blocks.h), when the block's record has been read, but frees are counted in their order: the sum
 * of allocations before a free, less the frees before it, is the size that the heap had. A dump
 * also compares the size that the heap has now. Empty blocks that are added before the first free
 * belong to the peak.
 *
 * Precision: exact while one thread at a time allocates, and that is known
 * (dmd_waiting_t.is_alone). Threads that run in parallel would fight for the sum, and for the
 * order. So each shard publishes its bytes only if they changed by more than a step, which is wider
 * for those that publish often; and a sum that exceeds the peak by more than a larger step only
 * asks for a new peak. The next allocation then takes all shard locks, adds up exactly, and makes
 * the peak what it finds. `highest` records the largest published sum: the true peak is at most
 * that, plus the step of each shard.
 *
 * Time: a thread alone reads the clock when it has allocated DMD_TIMEKEEPER_SZB since it last did,
 * or in the beginning 1/256 of all so far. The time of a peak is the last reading before it.
 *
 * The peak here is the largest heap since the last dump. When a dump is done (dmd_peak_begin), the
 * blocks of the largest heap so far are copied to a table of their own, `earlier`, and from then on
 * the next peak is looked for, which begins with what the heap has now. So two peaks cost an event
 * no more than one. If the new one becomes larger than the earlier one, it is the peak of the whole
 * run, and the earlier one is not needed.
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
#include "model/profile/profile.h"
#include "record/heap/ages.h"
#include "record/heap/block.h"
#include "record/heap/timekeeper.h"

/* All that was allocated so far, and all frees that are counted. Blocks are in fractions if they
 * are sampled, as in shard.h. */
typedef struct dmd_turnover {
  uint64_t n_allocated, n_freed, allocated_szB, freed_szB;
} dmd_turnover_t;

/* The moment before a free of a thread alone. */
typedef struct dmd_instant {
  uint64_t n_allocated;
  uint32_t number; /* blocks allocated by then have this number at most */
  uint64_t allocated_szB;
  const dmd_block_t *newest; /* of these blocks; only to be compared */
  uint64_t time;             /* if lifetimes have a clock (ages.h): what it said */
} dmd_instant_t;

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

#define DMD_PEAK_EARLIER 1u

/* Numbers of blocks up to here are used; announced blocks have UINT32_MAX. */
#define DMD_PEAK_LAST_NUMBER (UINT32_MAX - 1)

/* What belongs to one shard, or to all while a thread is alone. */
typedef struct dmd_peak_share {
  dmd_turnover_t sum;
  uint64_t published;        /* what the common sum has of it, in bytes */
  uint32_t mark;             /* what follows is void if the peak's mark is another */
  uint32_t n_published;      /* how often it has published */
  uint32_t n_log;            /* blocks that are gone and not in the table yet */
  uint32_t n_gone, n_places; /* used and all places of the table; the latter 0 or a power of two */
  dmd_gone_t *gone;          /* a hash table */
  dmd_gone_t *log;           /* DMD_PEAK_LOG of them; NULL: not needed yet */
} dmd_peak_share_t;

/* Asks for a dump: after so much time or so many allocated bytes, when the heap becomes larger than
 * so many bytes, or by an eighth larger than at the last dump of this kind. 0: never. It is looked
 * at when the clock is read, so it is right to DMD_TIMEKEEPER_SZB for each shard, and a program
 * that allocates nothing gets no dump.
 *
 * `used` is memory that the same limit holds for as for the heap, and that has other parts, such as
 * all of a control group. Reading it may be slow, so that is done ten times a second, and when a
 * 64th of the limit was allocated. */
typedef struct dmd_watch {
  uint64_t every_ms, every_szB, above_szB;
  dmd_resident_t used;        /* now is NULL: nothing but the heap */
  uint64_t used_ms, used_szB; /* when to read it next: time, allocated bytes */
  uint64_t next_ms, next_szB; /* of the next dump */
  uint64_t peak_szB;          /* a heap of so many bytes is dumped; UINT64_MAX: none is */
  uint64_t looked_szB;        /* about what threads in parallel have allocated */
  bool is_above;
} dmd_watch_t;

struct dmd_shard;
struct dmd_blocks_config;

typedef struct dmd_peak {
  /* Read at each event. */
  _Alignas(DMD_CACHE_LINE) bool is_on;
  bool is_parallel;         /* threads have run in parallel since the last restart */
  bool is_always_parallel;  /* the host cannot tell whether they do */
  bool is_wanted;           /* the next allocation is to take all locks and raise the peak */
  uint32_t mark;            /* blocks with this number at most are of the peak */
  uint32_t number;          /* of the blocks that are added now; larger than the mark */
  uint32_t least_slow;      /* frees with this number or a larger one have more to do */
  uint64_t step, least_new; /* while threads run in parallel: how much a shard's bytes change before
                               it publishes them; the sum that asks for a new peak */
  uint64_t least_share;     /* the least sum of all steps */
  const dmd_env_t *env;
  dmd_ages_t *ages; /* NULL: lifetimes are not recorded */
  /* Written at each event of a thread that is alone. */
  _Alignas(DMD_CACHE_LINE) dmd_peak_share_t alone;
  const dmd_block_t *newest; /* the block added last; only to be compared */
  uint64_t next_time;        /* when so many bytes were allocated, one of these is due: */
  uint64_t next_clock;       /* the clock is read; */
  uint64_t next_note;        /* a note of `ages` */
  uint64_t ms;               /* when the clock was read */
  uint64_t n_instructions;   /* by then; 0: not counted */
  uint64_t most_szB, most_n; /* the peak; UINT64_MAX bytes: peaks are not recorded */
  uint64_t most_alloc_szB;   /* bytes allocated by then */
  uint64_t most_ms;          /* when that was */
  uint64_t most_instructions;
  uint64_t published;   /* bytes of all blocks, as the shards have published them */
  uint64_t highest;     /* the most that was published */
  uint64_t least_szB;   /* the smallest heap seen when the clock was read; UINT64_MAX: none */
  dmd_moment_t earlier; /* the largest heap before the last dump; blocks as in dmd_turnover_t */
  dmd_peak_share_t at_earlier; /* its blocks are `gone`, with the mark DMD_PEAK_EARLIER */
  dmd_clock_t clock;
  dmd_clock_t instructions; /* now is NULL: they are not counted */
  dmd_watch_t watch;
  const dmd_timekeeper_t *timekeeper;
  struct dmd_shard *shards;
  uint32_t n_shards;
} dmd_peak_t;

/* No peak yet. If config says that peaks are not recorded, only the sums are. */
void dmd_peak_init(dmd_peak_t *peak, const dmd_env_t *env, struct dmd_shard *shards,
                   uint32_t n_shards, const struct dmd_blocks_config *config,
                   const dmd_timekeeper_t *timekeeper);
void dmd_peak_destroy(dmd_peak_t *peak); /* before the shards */

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

/* Threads run in parallel from now on. To be called with all shard locks, before any of them adds
 * or removes a block. */
void dmd_peak_go_parallel(dmd_peak_t *peak);

/* The numbers of blocks are used up. */
void dmd_peak_renumber(dmd_peak_t *peak);

/* Before a free that has more to do: they are used up, or its time is needed. */
void dmd_peak_begin_slow_free(dmd_peak_t *peak, dmd_instant_t *before);

/* Reads the clock for the peaks to come, or makes a note for lifetimes. block: added last. */
void dmd_peak_look_around(dmd_peak_t *peak, dmd_block_t *block);

/* A block was added: for its lifetime. */
void dmd_peak_note_birth(dmd_peak_t *peak, dmd_block_t *block);

/* Looks at the clock, and at the heap as the shards have published it. */
void dmd_peak_look(dmd_peak_t *peak);

/* The smallest heap seen since the last call, with this one, which is now. All shard locks are
 * held. */
uint64_t dmd_peak_take_least(dmd_peak_t *peak, uint64_t now_szB);

/* With all shard locks, after dmd_peak_raise: why a dump is due, or NULL. The next one is due
 * later. */
const char *dmd_peak_take_due(dmd_peak_t *peak);

/* Makes this moment the peak: always, or if the heap is larger than ever. All shard locks are held,
 * or the thread is alone. */
void dmd_peak_restart(dmd_peak_t *peak);
void dmd_peak_raise(dmd_peak_t *peak);

/* The next peak begins with this moment, and the largest heap so far becomes the earlier peak. All
 * shard locks are held. Cost: time for each live block, memory for each distinct kind of block of
 * the peak. */
void dmd_peak_begin(dmd_peak_t *peak);

/* The largest heap since the last dump, and the largest of all. */
dmd_moment_t dmd_peak_recent(const dmd_peak_t *peak);
dmd_moment_t dmd_peak_largest(const dmd_peak_t *peak);

/* Whether the largest heap of all was before the last dump. */
static inline bool dmd_peak_was_earlier(const dmd_peak_t *peak) {
  return peak->earlier.is_known && peak->most_szB <= peak->earlier.szB;
}

/* What all shards counted so far. All shard locks are held. */
dmd_turnover_t dmd_peak_now(const dmd_peak_t *peak);

/* Visits the blocks of the peak that are gone, or all blocks of the earlier peak: n blocks each. */
void dmd_peak_walk_gone(const dmd_peak_t *peak,
                        void (*visit)(void *ctx, const dmd_block_t *block, uint32_t n), void *ctx);
void dmd_peak_walk_earlier(const dmd_peak_t *peak,
                           void (*visit)(void *ctx, const dmd_block_t *block, uint32_t n),
                           void *ctx);

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

/* Adds to the common sum what a shard has not published. */
void dmd_peak_publish(dmd_peak_t *peak, dmd_peak_share_t *share);

static inline uint64_t dmd_turnover_left(const dmd_turnover_t *sum) {
  return sum->allocated_szB - sum->freed_szB;
}

static inline void dmd_peak_publish_much(dmd_peak_t *peak, dmd_peak_share_t *share) {
  int64_t by = (int64_t)(dmd_turnover_left(&share->sum) - share->published);
  if (peak->is_on && (uint64_t)(by < 0 ? -by : by) > __atomic_load_n(&peak->step, __ATOMIC_RELAXED))
    dmd_peak_publish(peak, share);
}

static inline void dmd_turnover_add(dmd_turnover_t *sum, uint64_t n, uint64_t szB) {
  sum->n_allocated += n;
  sum->allocated_szB += szB;
}

static inline void dmd_turnover_free(dmd_turnover_t *sum, uint64_t n, uint64_t szB) {
  sum->n_freed += n;
  sum->freed_szB += szB;
}

/* A block was added, which counts as n and szB. */
static inline void dmd_peak_add(dmd_peak_t *peak, dmd_peak_share_t *share, dmd_block_t *block,
                                uint64_t n, uint64_t szB) {
  block->born = __atomic_load_n(&peak->number, __ATOMIC_RELAXED);
  if (__builtin_expect(peak->ages != NULL, 0))
    dmd_peak_note_birth(peak, block);
  if (peak->is_parallel) {
    dmd_turnover_add(&share->sum, n, szB);
    dmd_peak_publish_much(peak, share);
    return;
  }
  dmd_turnover_add(&peak->alone.sum, n, szB);
  peak->newest = block;
  if (__builtin_expect(peak->alone.sum.allocated_szB >= peak->next_time, 0))
    dmd_peak_look_around(peak, block);
}

/* A block is about to be removed: stores the moment. Nothing else may be half done. */
static inline void dmd_peak_begin_free(dmd_peak_t *peak, dmd_instant_t *before) {
  if (peak->is_parallel)
    return;
  if (__builtin_expect(peak->number >= peak->least_slow, 0))
    dmd_peak_begin_slow_free(peak, before);
  before->n_allocated = peak->alone.sum.n_allocated;
  before->allocated_szB = peak->alone.sum.allocated_szB;
  before->number = peak->number++;
  before->newest = peak->newest;
}

/* The heap was as large as this, and is larger than ever. */
static inline void dmd_peak_set(dmd_peak_t *peak, uint64_t szB, uint64_t n,
                                const dmd_instant_t *before) {
  peak->most_szB = szB;
  peak->most_n = n;
  peak->most_alloc_szB = before->allocated_szB;
  peak->most_ms = peak->ms;
  peak->most_instructions = peak->n_instructions;
  peak->mark = before->number;
}

/* A block is gone, which counted as n and szB. If the thread is alone, all frees before this one
 * are counted; the moment before it was `before`, which is NULL if threads run in parallel. */
static inline void dmd_peak_remove(dmd_peak_t *peak, dmd_peak_share_t *share,
                                   const dmd_block_t *block, uint64_t n, uint64_t szB,
                                   const dmd_instant_t *before) {
  if (before == NULL) {
    if (dmd_peak_has(peak, block))
      dmd_peak_remember(peak, share, block);
    dmd_turnover_free(&share->sum, n, szB);
    dmd_peak_publish_much(peak, share);
    return;
  }
  dmd_turnover_t *sum = &peak->alone.sum;
  uint64_t was = before->allocated_szB - sum->freed_szB;
  if (was > peak->most_szB)
    dmd_peak_set(peak, was, before->n_allocated - sum->n_freed, before);
  if (dmd_peak_has(peak, block))
    dmd_peak_remember(peak, &peak->alone, block);
  dmd_turnover_free(sum, n, szB);
}

#endif
