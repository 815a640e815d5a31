/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/peak.h"

#include "base/mem.h"
#include "record/heap/shard.h"

/* While threads run in parallel, a new peak is this share of the last one larger, but not less than
 * LEAST_SHARE bytes. The steps of all shards together are as large. A shard that has published so
 * often that others wait for it doubles the least share, up to MOST_SHARE. */
enum { PEAK_SHARE = 512, LEAST_SHARE = 2048, MOST_SHARE = 65536, MANY_TIMES = 16384 };

/* The clock is read again when the peak has grown by this share. */
enum { TIME_SHARE = 256 };

/* ---- Blocks of the peak that are gone. ---- */

void dmd_peak_destroy_share(dmd_peak_share_t *share, const dmd_env_t *env) {
  dmd_env_free(env, share->gone);
  dmd_env_free(env, share->log);
  share->gone = share->log = NULL;
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
    if (old[i].mark == share->mark)
      *place_of(share, &old[i]) = old[i];
  dmd_env_free(peak->env, old);
}

static void add_gone(const dmd_peak_t *peak, dmd_peak_share_t *share, const dmd_gone_t *gone) {
  if (share->n_gone >= share->n_places / 4 * 3)
    grow(peak, share);
  dmd_gone_t *place = place_of(share, gone);
  if (place->mark == gone->mark) {
    place->num += gone->num;
    return;
  }
  *place = *gone;
  share->n_gone++;
}

void dmd_peak_work_off(const dmd_peak_t *peak, dmd_peak_share_t *share) {
  if (share->log == NULL)
    share->log = dmd_env_alloc(peak->env, "dmd.peak.gone", DMD_PEAK_LOG * sizeof *share->log);
  for (uint32_t i = 0; i < share->n_log; i++)
    add_gone(peak, share, &share->log[i]);
  share->n_log = 0;
}

static void visit_gone(const dmd_gone_t *gone,
                       void (*visit)(void *ctx, const dmd_block_t *block, uint32_t n), void *ctx) {
  dmd_block_t block = {.req = gone->req,
                       .slop = gone->slop,
                       .stack = gone->stack,
                       .tag = gone->tag,
                       .thread = gone->thread,
                       .flags = gone->flags};
  visit(ctx, &block, gone->num);
}

void dmd_peak_walk_gone(const dmd_peak_t *peak, const dmd_peak_share_t *share,
                        void (*visit)(void *ctx, const dmd_block_t *block, uint32_t n), void *ctx) {
  if (share->mark != peak->mark)
    return;
  for (uint32_t i = 0; i < share->n_log; i++)
    visit_gone(&share->log[i], visit, ctx);
  for (uint32_t i = 0; i < share->n_places; i++)
    if (share->gone[i].mark == peak->mark)
      visit_gone(&share->gone[i], visit, ctx);
}

/* ---- New peaks. ---- */

/* Often there is one such free: of a loop that allocates and frees, at the peak. Once threads ran
 * in parallel, any shard may have some. */
void dmd_peak_settle(dmd_peak_t *peak) {
  if (peak->is_parallel)
    peak->late = peak->n_shards < 64 ? ((uint64_t)1 << peak->n_shards) - 1 : UINT64_MAX;
  for (; peak->late != 0; peak->late &= peak->late - 1)
    for (uint32_t i = (uint32_t)__builtin_ctzll(peak->late); i < peak->n_shards; i += 64) {
      dmd_shard_count_leaving(&peak->shards[i]);
      dmd_shard_catch_up(&peak->shards[i]);
    }
}

static void renumber(void *ctx, uint64_t addr, dmd_block_t *block) {
  (void)ctx, (void)addr;
  if (!(block->flags & DMD_BLOCK_ANNOUNCED))
    block->born = 0;
}

/* All live blocks are of the peak. */
__attribute__((cold)) void dmd_peak_renumber(dmd_peak_t *peak) {
  for (uint32_t i = 0; i < peak->n_shards; i++) {
    dmd_shard_t *shard = &peak->shards[i];
    dmd_heap_walk(&shard->heap, renumber, NULL);
    if (shard->share.gone != NULL)
      dmd_mem_zero(shard->share.gone, shard->share.n_places * sizeof *shard->share.gone);
    shard->share.mark = 0;
  }
  peak->mark = 1;
}

void dmd_peak_read_clock(dmd_peak_t *peak) {
  peak->next_time = peak->most.szB + peak->most.szB / TIME_SHARE + 1;
  if (peak->clock.now != NULL)
    peak->ms = peak->clock.now(peak->clock.ctx);
}

static void set_steps(dmd_peak_t *peak) {
  uint64_t share = peak->most.szB / PEAK_SHARE,
           least = __atomic_load_n(&peak->least_share, __ATOMIC_RELAXED);
  if (share < least)
    share = least;
  __atomic_store_n(&peak->step, share / peak->n_shards, __ATOMIC_RELAXED);
  __atomic_store_n(&peak->least_new, peak->most.szB + share, __ATOMIC_RELAXED);
}

void dmd_peak_init(dmd_peak_t *peak, const dmd_env_t *env, const dmd_waiting_t *waiting,
                   dmd_shard_t *shards, uint32_t n_shards) {
  static const char always = 1, never = 0;
  dmd_mem_zero(peak, sizeof *peak);
  peak->env = env;
  peak->is_alone = waiting == NULL             ? &always
                   : waiting->is_alone == NULL ? &never
                                               : waiting->is_alone;
  peak->shards = shards;
  peak->n_shards = n_shards;
  peak->mark = 1;
  peak->least_share = LEAST_SHARE;
  set_steps(peak);
}

/* Makes the sum as it is now the peak, with all live blocks. */
static void take(dmd_peak_t *peak) {
  peak->most = peak->now;
  set_steps(peak);
  if (++peak->mark >= UINT32_MAX - 1)
    dmd_peak_renumber(peak);
  dmd_peak_read_clock(peak);
}

static void add_up(dmd_peak_t *peak) {
  dmd_peak_settle(peak);
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
  peak->highest = 0;
  peak->is_parallel = false;
  peak->least_share = LEAST_SHARE;
  take(peak);
}

void dmd_peak_raise(dmd_peak_t *peak) {
  if (!peak->is_on)
    return;
  add_up(peak);
  if (peak->now.szB > peak->most.szB)
    take(peak);
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
  set_steps(peak);
  __atomic_store_n(&peak->is_parallel, true, __ATOMIC_RELAXED);
}

/* Two shards may do so at once, which does no harm. The peak itself does not change meanwhile,
 * since that takes all shard locks. */
static void widen_steps(dmd_peak_t *peak) {
  uint64_t share = __atomic_load_n(&peak->least_share, __ATOMIC_RELAXED);
  if (share >= MOST_SHARE)
    return;
  __atomic_store_n(&peak->least_share, share * 2, __ATOMIC_RELAXED);
  set_steps(peak);
}

void dmd_peak_publish(dmd_peak_t *peak, dmd_peak_share_t *share) {
  uint64_t sum = __atomic_add_fetch(&peak->now.szB, share->unpublished.szB, __ATOMIC_RELAXED);
  share->unpublished.szB = 0;
  if (++share->n_published % MANY_TIMES == 0)
    widen_steps(peak);
  note_sum(peak, sum);
  if ((int64_t)sum > (int64_t)__atomic_load_n(&peak->least_new, __ATOMIC_RELAXED))
    dmd_peak_want(peak);
}

uint64_t dmd_peak_error(const dmd_peak_t *peak) {
  uint64_t limit = peak->highest + peak->step * peak->n_shards;
  return !peak->is_parallel || limit <= peak->most.szB ? 0 : limit - peak->most.szB;
}
