/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/peak.h"

#include "base/mem.h"
#include "record/heap/shard.h"

/* While threads run in parallel, a new peak is this share of the last one larger, but not less than
 * LEAST_SHARE bytes. The steps of all shards together are as large. A shard that has published so
 * often that others wait for it doubles the least share, up to MOST_SHARE and 1 / LEAST_OF_PEAK of
 * the peak. */
enum {
  PEAK_SHARE = 512,
  LEAST_OF_PEAK = 32,
  LEAST_SHARE = 2048,
  MOST_SHARE = 65536,
  MANY_TIMES = 1024
};

/* A thread alone reads the clock again when it has allocated DMD_TIMEKEEPER_SZB, or in the
 * beginning this share of all bytes so far. */
enum { TIME_SHARE = 256 };

/* The smallest heap of which --dump-at-peak makes a dump. */
enum { LEAST_DUMPED = 1 << 20 };

/* ---- Blocks of the peak that are gone. ---- */

static void destroy_share(dmd_peak_share_t *share, const dmd_env_t *env) {
  dmd_env_free(env, share->gone);
  dmd_env_free(env, share->log);
  share->gone = share->log = NULL;
}

void dmd_peak_destroy(dmd_peak_t *peak) {
  for (uint32_t i = 0; i < peak->n_shards; i++)
    destroy_share(&peak->shards[i].share, peak->env);
  destroy_share(&peak->alone, peak->env);
  destroy_share(&peak->at_earlier, peak->env);
  dmd_ages_destroy(peak->ages);
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

/* The table of a program whose blocks have many sizes is in no near cache. */
void dmd_peak_work_off(const dmd_peak_t *peak, dmd_peak_share_t *share) {
  enum { AHEAD = 16 };
  if (share->log == NULL)
    share->log = dmd_env_alloc(peak->env, "dmd.peak.gone", DMD_PEAK_LOG * sizeof *share->log);
  for (uint32_t i = 0; i < share->n_log + AHEAD; i++) {
    if (i < share->n_log && share->n_places > 0)
      __builtin_prefetch(&share->gone[home_of(share, &share->log[i])], 1);
    if (i >= AHEAD)
      add_gone(peak, share, &share->log[i - AHEAD]);
  }
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

typedef void (*visit_fn)(void *ctx, const dmd_block_t *block, uint32_t n);

static void walk_share(const dmd_peak_share_t *share, uint32_t mark, visit_fn visit, void *ctx) {
  if (share->mark != mark)
    return;
  for (uint32_t i = 0; i < share->n_log; i++)
    visit_gone(&share->log[i], visit, ctx);
  for (uint32_t i = 0; i < share->n_places; i++)
    if (share->gone[i].mark == mark)
      visit_gone(&share->gone[i], visit, ctx);
}

void dmd_peak_walk_gone(const dmd_peak_t *peak, visit_fn visit, void *ctx) {
  walk_share(&peak->alone, peak->mark, visit, ctx);
  for (uint32_t i = 0; i < peak->n_shards; i++)
    walk_share(&peak->shards[i].share, peak->mark, visit, ctx);
}

void dmd_peak_walk_earlier(const dmd_peak_t *peak, visit_fn visit, void *ctx) {
  walk_share(&peak->at_earlier, DMD_PEAK_EARLIER, visit, ctx);
}

/* ---- New peaks. ---- */

/* Counts the frees that are not counted yet. Those of threads in parallel were, when their locks
 * were taken. */
static void settle(dmd_peak_t *peak) {
  if (peak->is_parallel)
    return;
  dmd_shard_count_leaving(peak->shards);
  dmd_shard_count_late_alone(peak->shards->late_alone);
}

static void renumber_gone(const dmd_peak_t *peak, dmd_peak_share_t *share) {
  bool is_valid = share->mark == peak->mark;
  if (is_valid && share->n_log > 0)
    dmd_peak_work_off(peak, share);
  for (uint32_t i = 0; i < share->n_places; i++)
    share->gone[i].mark = is_valid && share->gone[i].mark == peak->mark;
  share->mark = is_valid;
}

static void renumber(void *ctx, dmd_block_t *block) {
  const dmd_peak_t *peak = ctx;
  if (!(block->flags & DMD_BLOCK_ANNOUNCED))
    block->born = dmd_peak_has(peak, block) ? 1 : 2;
}

__attribute__((cold)) void dmd_peak_renumber(dmd_peak_t *peak) {
  settle(peak);
  for (uint32_t i = 0; i < peak->n_shards; i++) {
    dmd_heap_each(&peak->shards[i].heap, UINT64_MAX, renumber, peak);
    renumber_gone(peak, &peak->shards[i].share);
  }
  renumber_gone(peak, &peak->alone);
  peak->mark = peak->is_on;
  peak->number = 2;
  if (peak->ages != NULL)
    dmd_ages_restart(peak->ages, dmd_ages_time(peak->ages, dmd_peak_now(peak).allocated_szB));
}

void dmd_peak_begin_slow_free(dmd_peak_t *peak, dmd_instant_t *before) {
  if (peak->number >= DMD_PEAK_LAST_NUMBER)
    dmd_peak_renumber(peak);
  if (peak->ages != NULL)
    before->time = dmd_ages_time(peak->ages, 0);
}

static uint64_t now_ms(const dmd_peak_t *peak) {
  return peak->clock.now == NULL ? 0 : peak->clock.now(peak->clock.ctx);
}

static void set_time(dmd_peak_t *peak) {
  peak->ms = now_ms(peak);
  if (peak->instructions.now != NULL)
    peak->n_instructions = peak->instructions.now(peak->instructions.ctx);
}

/* If two threads come at once, one note may be lost. Frees can be published before the allocations,
 * so what was published may be negative. */
static void note_heap(dmd_peak_t *peak, uint64_t szB) {
  if ((int64_t)szB >= 0 && szB < __atomic_load_n(&peak->least_szB, __ATOMIC_RELAXED))
    __atomic_store_n(&peak->least_szB, szB, __ATOMIC_RELAXED);
}

/* ---- Dumps that are due. ---- */

static bool is_above(const dmd_watch_t *watch, uint64_t szB) {
  return watch->above_szB > 0 && (int64_t)szB > 0 && szB > watch->above_szB;
}

static bool is_used_due(const dmd_watch_t *watch, uint64_t ms, uint64_t allocated) {
  return watch->used.now != NULL &&
         (ms >= __atomic_load_n(&watch->used_ms, __ATOMIC_RELAXED) ||
          allocated >= __atomic_load_n(&watch->used_szB, __ATOMIC_RELAXED));
}

/* A heap that has become smaller by an eighth may exceed the limit again. What else is used must
 * have become so, too, which is only known when it is read. */
static bool is_due(dmd_watch_t *watch, uint64_t ms, uint64_t allocated, uint64_t szB) {
  if (watch->used.now == NULL && (int64_t)szB <= (int64_t)(watch->above_szB - watch->above_szB / 8))
    __atomic_store_n(&watch->is_above, false, __ATOMIC_RELAXED);
  return (watch->every_ms > 0 && ms >= watch->next_ms) ||
         (watch->every_szB > 0 && allocated >= watch->next_szB) ||
         ((int64_t)szB > 0 && szB >= __atomic_load_n(&watch->peak_szB, __ATOMIC_RELAXED)) ||
         (is_above(watch, szB) && !__atomic_load_n(&watch->is_above, __ATOMIC_RELAXED)) ||
         is_used_due(watch, ms, allocated);
}

/* A thread in parallel has allocated szB more. */
static void look_at_watch(dmd_peak_t *peak, uint64_t szB, uint64_t ms) {
  dmd_watch_t *watch = &peak->watch;
  uint64_t allocated = __atomic_add_fetch(&watch->looked_szB, szB, __ATOMIC_RELAXED);
  if (is_due(watch, ms, allocated, __atomic_load_n(&peak->published, __ATOMIC_RELAXED)))
    dmd_peak_want(peak);
}

/* Returns the larger one of the heap and what is used, if that is read now. */
static uint64_t read_used(dmd_watch_t *watch, uint64_t ms, uint64_t allocated, uint64_t szB) {
  enum { EVERY_MS = 100, SHARE = 64, LEAST_SZB = 1 << 20 };
  if (!is_used_due(watch, ms, allocated))
    return szB;
  uint64_t step = watch->above_szB / SHARE, used = watch->used.now(watch->used.ctx);
  __atomic_store_n(&watch->used_ms, ms + EVERY_MS, __ATOMIC_RELAXED);
  __atomic_store_n(&watch->used_szB, allocated + (step > LEAST_SZB ? step : LEAST_SZB),
                   __ATOMIC_RELAXED);
  if (used != DMD_MEMORY_UNKNOWN && used > szB)
    szB = used;
  if (szB <= watch->above_szB - watch->above_szB / 8)
    watch->is_above = false;
  return szB;
}

const char *dmd_peak_take_due(dmd_peak_t *peak) {
  dmd_watch_t *watch = &peak->watch;
  if ((watch->every_ms | watch->every_szB | watch->above_szB) == 0 && watch->peak_szB == UINT64_MAX)
    return NULL;
  const dmd_turnover_t now = dmd_peak_now(peak);
  uint64_t szB = dmd_turnover_left(&now), ms = now_ms(peak);
  watch->looked_szB = now.allocated_szB;
  uint64_t used = read_used(watch, ms, now.allocated_szB, szB);
  bool is_large = is_above(watch, used) && !watch->is_above, is_peak = szB >= watch->peak_szB;
  if (!is_large && !is_due(watch, ms, now.allocated_szB, szB))
    return NULL;
  watch->is_above |= is_large;
  if (is_peak)
    __atomic_store_n(&watch->peak_szB, szB + szB / 8, __ATOMIC_RELAXED);
  if (watch->every_ms > 0)
    watch->next_ms = (ms / watch->every_ms + 1) * watch->every_ms;
  if (watch->every_szB > 0)
    watch->next_szB = (now.allocated_szB / watch->every_szB + 1) * watch->every_szB;
  return is_large ? "dump-above" : is_peak ? "dump-at-peak" : "dump-every";
}

/* ---- The clock. ---- */

static void read_clock(dmd_peak_t *peak) {
  settle(peak);
  uint64_t allocated = peak->alone.sum.allocated_szB, step = allocated / TIME_SHARE;
  if (step > DMD_TIMEKEEPER_SZB)
    step = DMD_TIMEKEEPER_SZB;
  peak->next_clock = allocated + step + 1;
  set_time(peak);
  note_heap(peak, dmd_turnover_left(&peak->alone.sum));
  if (dmd_timekeeper_is_due(peak->timekeeper, peak->ms) ||
      is_due(&peak->watch, peak->ms, allocated, dmd_turnover_left(&peak->alone.sum)))
    dmd_peak_want(peak);
}

/* A large block gets a note of its own, so that those before it are not thought to be after it. */
static void note_age(dmd_peak_t *peak, dmd_block_t *block) {
  uint64_t allocated = peak->alone.sum.allocated_szB;
  peak->next_note = allocated + DMD_AGES_SZB;
  if (peak->number >= DMD_PEAK_LAST_NUMBER - 1)
    return;
  if (block->req >= DMD_AGES_SZB / 2) {
    block->born = ++peak->number;
    dmd_ages_note(peak->ages, block->born, allocated - block->req);
  }
  dmd_ages_note(peak->ages, ++peak->number, allocated);
}

__attribute__((cold)) void dmd_peak_look_around(dmd_peak_t *peak, dmd_block_t *block) {
  if (peak->alone.sum.allocated_szB >= peak->next_clock)
    read_clock(peak);
  if (peak->alone.sum.allocated_szB >= peak->next_note)
    note_age(peak, block);
  peak->next_time = peak->next_clock < peak->next_note ? peak->next_clock : peak->next_note;
}

void dmd_peak_note_birth(dmd_peak_t *peak, dmd_block_t *block) {
  settle(peak);
  if (peak->ages->clock.now != NULL && peak->number < DMD_PEAK_LAST_NUMBER - 2)
    dmd_ages_note_birth(peak->ages, block, &peak->number);
  dmd_ages_add(peak->ages, block);
}

void dmd_peak_look(dmd_peak_t *peak) {
  note_heap(peak, __atomic_load_n(&peak->published, __ATOMIC_RELAXED));
  uint64_t ms = now_ms(peak);
  if (peak->is_parallel)
    look_at_watch(peak, DMD_TIMEKEEPER_SZB, ms);
  if (dmd_timekeeper_is_due(peak->timekeeper, ms))
    dmd_peak_want(peak);
}

uint64_t dmd_peak_take_least(dmd_peak_t *peak, uint64_t now_szB) {
  uint64_t least = peak->least_szB;
  peak->least_szB = UINT64_MAX;
  return least < now_szB ? least : now_szB;
}

static void set_steps(dmd_peak_t *peak) {
  uint64_t share = peak->most_szB / PEAK_SHARE,
           least = __atomic_load_n(&peak->least_share, __ATOMIC_RELAXED);
  if (share < least)
    share = least;
  __atomic_store_n(&peak->step, share / peak->n_shards, __ATOMIC_RELAXED);
  __atomic_store_n(&peak->least_new, peak->most_szB + share, __ATOMIC_RELAXED);
}

void dmd_peak_init(dmd_peak_t *peak, const dmd_env_t *env, dmd_shard_t *shards, uint32_t n_shards,
                   const dmd_blocks_config_t *config, const dmd_timekeeper_t *timekeeper) {
  dmd_mem_zero(peak, sizeof *peak);
  peak->env = env;
  peak->is_on = config->records_peak;
  peak->is_always_parallel = config->waiting != NULL && config->waiting->is_alone == NULL;
  peak->is_parallel = peak->is_always_parallel;
  peak->clock = config->clock;
  peak->instructions = config->instructions;
  peak->timekeeper = timekeeper;
  peak->shards = shards;
  peak->n_shards = n_shards;
  peak->watch = (dmd_watch_t){.every_ms = peak->clock.now == NULL ? 0 : config->dump_every_ms,
                              .every_szB = config->dump_every_szB,
                              .above_szB = config->dump_above_szB,
                              .used = config->used,
                              .peak_szB = config->dumps_at_peak ? LEAST_DUMPED : UINT64_MAX,
                              .next_ms = config->dump_every_ms,
                              .next_szB = config->dump_every_szB};
  peak->mark = peak->is_on;
  peak->number = 2;
  peak->least_slow = DMD_PEAK_LAST_NUMBER;
  peak->least_share = LEAST_SHARE;
  peak->next_clock = peak->is_on && peak->clock.now != NULL ? 0 : UINT64_MAX;
  peak->next_note = UINT64_MAX;
  if (peak->is_on && config->records_lifetimes) {
    peak->ages = dmd_ages_create(env, config->waiting, config->instructions);
    if (config->instructions.now != NULL)
      peak->least_slow = 0;
    else
      peak->next_note = 0;
  }
  peak->next_time = peak->next_clock < peak->next_note ? peak->next_clock : peak->next_note;
  peak->least_szB = UINT64_MAX;
  if (peak->is_on)
    set_steps(peak);
  else
    peak->most_szB = UINT64_MAX;
}

dmd_turnover_t dmd_peak_now(const dmd_peak_t *peak) {
  dmd_turnover_t all = peak->alone.sum;
  for (uint32_t i = 0; i < peak->n_shards; i++) {
    const dmd_turnover_t *sum = &peak->shards[i].share.sum;
    dmd_turnover_add(&all, sum->n_allocated, sum->allocated_szB);
    dmd_turnover_free(&all, sum->n_freed, sum->freed_szB);
  }
  return all;
}

/* Makes this moment the peak, with all live blocks. */
static void take(dmd_peak_t *peak, const dmd_turnover_t *now) {
  if (peak->is_parallel)
    set_time(peak);
  if (peak->number >= DMD_PEAK_LAST_NUMBER)
    dmd_peak_renumber(peak);
  dmd_peak_set(peak, dmd_turnover_left(now), now->n_allocated - now->n_freed,
               &(dmd_instant_t){.allocated_szB = now->allocated_szB, .number = peak->number++});
  set_steps(peak);
}

void dmd_peak_raise(dmd_peak_t *peak) {
  settle(peak);
  if (!peak->is_on)
    return;
  dmd_turnover_t now = dmd_peak_now(peak);
  __atomic_store_n(&peak->is_wanted, false, __ATOMIC_RELAXED);
  if (dmd_turnover_left(&now) > peak->most_szB)
    take(peak, &now);
}

void dmd_peak_restart(dmd_peak_t *peak) {
  settle(peak);
  dmd_turnover_t now = dmd_peak_now(peak);
  for (uint32_t i = 0; i < peak->n_shards; i++) {
    peak->shards[i].share.sum = (dmd_turnover_t){0};
    peak->shards[i].share.published = 0;
    peak->shards[i].next_look = peak->shards[i].aged = 0;
  }
  peak->alone.sum = now;
  peak->is_parallel = peak->is_always_parallel;
  if (!peak->is_on)
    return;
  peak->published = dmd_turnover_left(&now);
  peak->highest = 0;
  peak->least_szB = UINT64_MAX;
  peak->least_share = LEAST_SHARE;
  peak->earlier.is_known = false;
  set_time(peak);
  __atomic_store_n(&peak->is_wanted, false, __ATOMIC_RELAXED);
  take(peak, &now);
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
  dmd_peak_raise(peak);
  peak->published = peak->highest = dmd_turnover_left(&peak->alone.sum);
  if (peak->ages != NULL)
    peak->ages->now = peak->alone.sum.allocated_szB;
  peak->is_parallel = true;
}

/* Two shards may do so at once, which does no harm. The peak itself does not change meanwhile,
 * since that takes all shard locks. */
static void widen_steps(dmd_peak_t *peak) {
  uint64_t share = __atomic_load_n(&peak->least_share, __ATOMIC_RELAXED);
  if (share >= MOST_SHARE || share * 2 > peak->most_szB / LEAST_OF_PEAK)
    return;
  __atomic_store_n(&peak->least_share, share * 2, __ATOMIC_RELAXED);
  set_steps(peak);
}

void dmd_peak_publish(dmd_peak_t *peak, dmd_peak_share_t *share) {
  uint64_t bytes = dmd_turnover_left(&share->sum),
           sum = __atomic_add_fetch(&peak->published, bytes - share->published, __ATOMIC_RELAXED);
  share->published = bytes;
  if (++share->n_published % MANY_TIMES == 0)
    widen_steps(peak);
  note_sum(peak, sum);
  if ((int64_t)sum > (int64_t)__atomic_load_n(&peak->least_new, __ATOMIC_RELAXED))
    dmd_peak_want(peak);
}

/* ---- The largest heap before the last dump. ---- */

/* The true peak is at most this much larger. */
static uint64_t error_of(const dmd_peak_t *peak) {
  uint64_t limit = peak->highest + peak->step * peak->n_shards;
  return !peak->is_parallel || limit <= peak->most_szB ? 0 : limit - peak->most_szB;
}

dmd_moment_t dmd_peak_recent(const dmd_peak_t *peak) {
  return (dmd_moment_t){.is_known = peak->is_on,
                        .szB = peak->most_szB,
                        .n_blocks = peak->most_n,
                        .ms = peak->most_ms,
                        .alloc_szB = peak->most_alloc_szB,
                        .n_instructions = peak->most_instructions,
                        .error_szB = error_of(peak)};
}

/* The heap was at most as large as the larger limit of the two. */
dmd_moment_t dmd_peak_largest(const dmd_peak_t *peak) {
  const dmd_moment_t recent = dmd_peak_recent(peak), *earlier = &peak->earlier;
  if (!earlier->is_known)
    return recent;
  bool was_earlier = dmd_peak_was_earlier(peak);
  dmd_moment_t largest = was_earlier ? *earlier : recent;
  const dmd_moment_t *other = was_earlier ? &recent : earlier;
  if (other->szB + other->error_szB > largest.szB + largest.error_szB)
    largest.error_szB = other->szB + other->error_szB - largest.szB;
  return largest;
}

static void keep_gone(void *ctx, const dmd_block_t *block, uint32_t n) {
  dmd_peak_t *peak = ctx;
  const dmd_gone_t gone = {.req = block->req,
                           .slop = block->slop,
                           .stack = block->stack,
                           .mark = DMD_PEAK_EARLIER,
                           .num = n,
                           .tag = block->tag,
                           .thread = block->thread,
                           .flags = block->flags};
  add_gone(peak, &peak->at_earlier, &gone);
}

static void keep_live(void *ctx, dmd_block_t *block) {
  dmd_peak_t *peak = ctx;
  if (dmd_peak_has(peak, block))
    keep_gone(peak, block, 1);
}

static void keep_blocks(dmd_peak_t *peak) {
  destroy_share(&peak->at_earlier, peak->env);
  peak->at_earlier = (dmd_peak_share_t){.mark = DMD_PEAK_EARLIER};
  for (uint32_t i = 0; i < peak->n_shards; i++)
    dmd_heap_each(&peak->shards[i].heap, UINT64_MAX, keep_live, peak);
  dmd_peak_walk_gone(peak, keep_gone, peak);
}

/* Steps may become smaller, and no shard may have changed by more than one. */
static void publish_all(dmd_peak_t *peak) {
  peak->published = dmd_turnover_left(&peak->alone.sum);
  for (uint32_t i = 0; i < peak->n_shards; i++) {
    dmd_peak_share_t *share = &peak->shards[i].share;
    share->published = dmd_turnover_left(&share->sum);
    peak->published += share->published;
  }
}

void dmd_peak_begin(dmd_peak_t *peak) {
  if (!peak->is_on)
    return;
  dmd_peak_raise(peak);
  if (!dmd_peak_was_earlier(peak))
    keep_blocks(peak);
  peak->earlier = dmd_peak_largest(peak);
  const dmd_turnover_t now = dmd_peak_now(peak);
  publish_all(peak);
  peak->highest = peak->published;
  take(peak, &now);
}
