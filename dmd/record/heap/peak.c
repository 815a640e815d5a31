/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/peak.h"

#include "base/mem.h"
#include "record/heap/shard.h"

/* While threads run in parallel, a new peak is this share of the last one larger, but not less than
 * LEAST_STEP bytes. The steps of all shards together are as large. */
enum { PEAK_SHARE = 512, LEAST_STEP = 2048 };

/* One of so many peaks in a row reads the clock. */
enum { PEAKS_PER_TIME = 16 };

/* ---- Blocks of the peak that are gone. ---- */

void dmd_peak_destroy_share(dmd_peak_share_t *share, const dmd_env_t *env) {
  dmd_env_free(env, share->gone);
  share->gone = NULL;
}

static bool is_same(const dmd_gone_t *a, const dmd_gone_t *b) {
  return a->req == b->req && a->stack == b->stack && a->slop == b->slop && a->tag == b->tag &&
         a->thread == b->thread && a->flags == b->flags;
}

static uint32_t home_of(const dmd_peak_share_t *share, const dmd_gone_t *gone) {
  uint64_t rest = (uint64_t)gone->tag << 48 | (uint64_t)gone->thread << 32 | gone->stack;
  return (uint32_t)dmd_hash_u64(rest ^ dmd_hash_u64(gone->req)) & (share->n_places - 1);
}

/* The entry's place, or the empty place where it belongs. */
static dmd_gone_t *place_of(const dmd_peak_share_t *share, const dmd_gone_t *gone) {
  uint32_t i = home_of(share, gone);
  while (share->gone[i].mark == gone->mark && !is_same(&share->gone[i], gone))
    i = (i + 1) & (share->n_places - 1);
  return &share->gone[i];
}

static void grow(const dmd_peak_t *peak, dmd_peak_share_t *share) {
  enum { FIRST_PLACES = 64 };
  dmd_gone_t *old = share->gone;
  uint32_t n_old = share->n_places;
  share->n_places = n_old == 0 ? FIRST_PLACES : n_old * 2;
  share->gone = dmd_env_alloc(peak->env, "dmd.peak.gone", share->n_places * sizeof *share->gone);
  dmd_mem_zero(share->gone, share->n_places * sizeof *share->gone);
  for (uint32_t i = 0; i < n_old; i++)
    if (old[i].mark == share->gone_mark)
      *place_of(share, &old[i]) = old[i];
  dmd_env_free(peak->env, old);
}

void dmd_peak_remember(const dmd_peak_t *peak, dmd_peak_share_t *share, const dmd_block_t *block) {
  if (share->gone_mark != peak->mark) {
    share->gone_mark = peak->mark;
    share->n_gone = 0;
  }
  if (share->n_gone >= share->n_places / 4 * 3)
    grow(peak, share);
  dmd_gone_t gone = {.req = block->req,
                     .slop = block->slop,
                     .stack = block->stack,
                     .mark = peak->mark,
                     .tag = block->tag,
                     .thread = block->thread,
                     .flags = block->flags};
  dmd_gone_t *place = place_of(share, &gone);
  if (place->mark != peak->mark) {
    *place = gone;
    share->n_gone++;
  }
  place->num++;
}

void dmd_peak_walk_gone(const dmd_peak_t *peak, const dmd_peak_share_t *share,
                        void (*visit)(void *ctx, const dmd_block_t *block, uint32_t n), void *ctx) {
  for (uint32_t i = 0; i < share->n_places; i++) {
    const dmd_gone_t *gone = &share->gone[i];
    if (gone->mark != peak->mark)
      continue;
    dmd_block_t block = {.req = gone->req,
                         .slop = gone->slop,
                         .stack = gone->stack,
                         .tag = gone->tag,
                         .thread = gone->thread,
                         .flags = gone->flags};
    visit(ctx, &block, gone->num);
  }
}

/* ---- New peaks. ---- */

/* Counts delayed frees. */
static void settle_all(dmd_peak_t *peak) {
  if (peak->n_shards == 1)
    dmd_shard_count_leaving(peak->shards);
  if (peak->waiting == NULL)
    return;
  for (uint32_t i = 0; i < peak->n_shards; i++)
    dmd_shard_catch_up(&peak->shards[i]);
  peak->late = 0;
}

/* The same in a short time, for a thread that was alone since the last restart. Often there is one
 * delayed free: a loop that allocates and frees, at the peak. */
static void settle_own(dmd_peak_t *peak) {
  if (peak->n_shards == 1)
    dmd_shard_count_leaving(peak->shards);
  for (; peak->late != 0; peak->late &= peak->late - 1)
    for (uint32_t i = (uint32_t)__builtin_ctzll(peak->late); i < peak->n_shards; i += 64)
      dmd_shard_catch_up(&peak->shards[i]);
}

static void renumber(void *ctx, uint64_t addr, dmd_block_t *block) {
  (void)ctx, (void)addr;
  if (!(block->flags & DMD_BLOCK_ANNOUNCED))
    block->born = 0;
}

/* The numbers of blocks are used up. All live blocks are of the peak that begins. */
__attribute__((noinline, cold)) static void begin_numbers_again(dmd_peak_t *peak) {
  for (uint32_t i = 0; i < peak->n_shards; i++) {
    dmd_shard_t *shard = &peak->shards[i];
    dmd_heap_walk(&shard->heap, renumber, NULL);
    if (shard->share.gone != NULL)
      dmd_mem_zero(shard->share.gone, shard->share.n_places * sizeof *shard->share.gone);
    shard->share.gone_mark = 0;
    shard->share.n_gone = 0;
  }
  peak->mark = 0;
}

static void read_clock(dmd_peak_t *peak) {
  peak->n_untimed = 0;
  if (peak->clock.now != NULL)
    peak->ms = peak->clock.now(peak->clock.ctx);
}

static void set_steps(dmd_peak_t *peak) {
  uint64_t share = peak->most.szB / PEAK_SHARE;
  if (share < LEAST_STEP)
    share = LEAST_STEP;
  peak->step = share / peak->n_shards;
  peak->least_new = peak->most.szB + share;
}

void dmd_peak_init(dmd_peak_t *peak, const dmd_env_t *env, dmd_shard_t *shards, uint32_t n_shards) {
  dmd_mem_zero(peak, sizeof *peak);
  peak->env = env;
  peak->shards = shards;
  peak->n_shards = n_shards;
  peak->mark = 1;
  set_steps(peak);
}

/* Makes the sum as it is now the peak, with all live blocks. */
static void take(dmd_peak_t *peak) {
  peak->most = peak->now;
  set_steps(peak);
  if (__builtin_expect(peak->mark >= UINT32_MAX - 2, 0))
    begin_numbers_again(peak);
  peak->mark++;
}

void dmd_peak_reach(dmd_peak_t *peak, uint64_t szB) {
  if (peak->is_parallel)
    settle_all(peak);
  else
    settle_own(peak);
  if (peak->now.szB <= peak->most.szB)
    return;
  bool goes_on = peak->now.szB - szB == peak->most.szB;
  take(peak);
  if (!goes_on || ++peak->n_untimed == PEAKS_PER_TIME)
    read_clock(peak);
}

static void add_up(dmd_peak_t *peak) {
  settle_all(peak);
  for (uint32_t i = 0; i < peak->n_shards; i++) {
    dmd_heap_sum_t *sum = &peak->shards[i].share.unpublished;
    peak->now.szB += sum->szB;
    peak->now.n += sum->n;
    peak->now.alloc_szB += sum->alloc_szB;
    *sum = (dmd_heap_sum_t){0};
  }
  __atomic_store_n(&peak->is_wanted, false, __ATOMIC_RELAXED);
}

void dmd_peak_restart(dmd_peak_t *peak) {
  if (!peak->is_on)
    return;
  add_up(peak);
  take(peak);
  read_clock(peak);
  peak->highest = 0;
  peak->is_parallel = false;
}

void dmd_peak_raise(dmd_peak_t *peak) {
  if (!peak->is_on)
    return;
  add_up(peak);
  if (peak->now.szB <= peak->most.szB)
    return;
  take(peak);
  read_clock(peak);
}

/* The sum may be negative for a moment: frees can be published before the allocations. */
static void note_sum(dmd_peak_t *peak, uint64_t sum) {
  uint64_t highest = __atomic_load_n(&peak->highest, __ATOMIC_RELAXED);
  while ((int64_t)sum > (int64_t)highest &&
         !__atomic_compare_exchange_n(&peak->highest, &highest, sum, true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED))
    ;
}

void dmd_peak_go_parallel(dmd_peak_t *peak) {
  note_sum(peak, __atomic_load_n(&peak->now.szB, __ATOMIC_RELAXED));
  __atomic_store_n(&peak->is_parallel, true, __ATOMIC_RELAXED);
}

void dmd_peak_publish(dmd_peak_t *peak, dmd_peak_share_t *share) {
  uint64_t sum = __atomic_add_fetch(&peak->now.szB, share->unpublished.szB, __ATOMIC_RELAXED);
  share->unpublished.szB = 0;
  note_sum(peak, sum);
  if ((int64_t)sum > (int64_t)__atomic_load_n(&peak->least_new, __ATOMIC_RELAXED))
    __atomic_store_n(&peak->is_wanted, true, __ATOMIC_RELAXED);
}

uint64_t dmd_peak_error(const dmd_peak_t *peak) {
  uint64_t limit = peak->highest + peak->step * peak->n_shards;
  return !peak->is_parallel || limit <= peak->most.szB ? 0 : limit - peak->most.szB;
}
