/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/blocks.h"

#include "base/mem.h"
#include "record/heap/breakdowns.h"
#include "record/heap/shard.h"

struct dmd_blocks {
  const dmd_env_t *env;
  const dmd_waiting_t *waiting;
  uint64_t sample_interval;
  dmd_bloom_t *bloom;  /* NULL if all blocks are recorded */
  dmd_shard_t *only;   /* the only shard, if there is one shard and no lock; else NULL */
  dmd_shard_t *shards; /* aligned to cache lines, as is the next */
  dmd_peak_t *peak;
  dmd_timekeeper_t timekeeper;
  dmd_breakdowns_t breakdowns;
  const char *due;             /* why a dump is due, or NULL */
  dmd_late_alone_t late_alone; /* guarded by no lock */
  void *memory;                /* allocation that contains the shards and the peak */
  uint32_t n_shards, shift;
  dmd_all_freed_t freed;
  dmd_freed_block_t found; /* result of the last dmd_blocks_find_freed */
  uint32_t n_held;         /* this and the next belong to the holder of the engine's lock */
  uint16_t held[DMD_BLOCKS_MAX_SHARDS]; /* shards whose locks it holds */
};

/* Number of freed blocks that a shard buffers for itself. All shards together buffer no more than
 * are remembered, so that a small limit is respected. */
static uint32_t own_freed(const dmd_blocks_t *blocks, uint32_t max_freed) {
  uint32_t n = max_freed / blocks->n_shards;
  return n == 0 ? 1 : n < DMD_SHARD_FREED ? n : DMD_SHARD_FREED;
}

/* Capacity of the common ring. It must not lose a freed block to older ones that other shards still
 * buffer and add later, so their buffers are added to the limit. */
static uint32_t room_for_freed(const dmd_blocks_t *blocks, uint32_t max_freed) {
  uint32_t others = blocks->n_shards * (blocks->freed.max_own - 1);
  return blocks->freed.waiting == NULL ? max_freed : max_freed + others;
}

static void take_memory(dmd_blocks_t *blocks) {
  size_t szB = sizeof(dmd_peak_t) + blocks->n_shards * sizeof(dmd_shard_t) + DMD_CACHE_LINE - 1;
  blocks->memory = dmd_env_alloc(blocks->env, "dmd.blocks.shards", szB);
  uintptr_t at = (uintptr_t)blocks->memory + DMD_CACHE_LINE - 1;
  blocks->peak = (dmd_peak_t *)(at & ~(uintptr_t)(DMD_CACHE_LINE - 1));
  blocks->shards = (dmd_shard_t *)(void *)(blocks->peak + 1);
}

dmd_blocks_t *dmd_blocks_create(const dmd_env_t *env, const dmd_blocks_config_t *config) {
  if (config->n_shards > DMD_BLOCKS_MAX_SHARDS || (config->n_shards > 1 && config->slabs != NULL))
    env->panic(env->ctx, "too many shards");
  dmd_blocks_t *blocks = dmd_env_alloc(env, "dmd.blocks", sizeof *blocks);
  dmd_mem_zero(blocks, sizeof *blocks);
  blocks->env = env;
  blocks->waiting = config->waiting;
  blocks->n_shards = 1;
  for (blocks->shift = 64; blocks->n_shards < config->n_shards; blocks->shift--)
    blocks->n_shards *= 2;
  blocks->freed.waiting = config->max_freed == 0 ? NULL : config->waiting;
  blocks->freed.max_own = own_freed(blocks, config->max_freed);
  dmd_freed_init(&blocks->freed.freed, env, room_for_freed(blocks, config->max_freed));
  take_memory(blocks);
  dmd_timekeeper_init(&blocks->timekeeper, env, config->clock, config->instructions,
                      config->resident, config->records_peak && config->records_timeline);
  dmd_breakdowns_init(&blocks->breakdowns, env, blocks->shards, blocks->n_shards);
  dmd_peak_init(blocks->peak, env, blocks->shards, blocks->n_shards, config, &blocks->timekeeper);
  blocks->sample_interval = config->sample_interval;
  if (config->sample_interval > 0)
    blocks->bloom = dmd_bloom_create(env);
  for (uint32_t i = 0; i < blocks->n_shards; i++)
    dmd_shard_init(&blocks->shards[i], env, config, blocks->bloom, &blocks->freed, blocks->peak,
                   &blocks->late_alone);
  if (blocks->n_shards == 1 && blocks->waiting == NULL)
    blocks->only = blocks->shards;
  return blocks;
}

void dmd_blocks_destroy(dmd_blocks_t *blocks) {
  dmd_peak_destroy(blocks->peak);
  for (uint32_t i = 0; i < blocks->n_shards; i++)
    dmd_shard_destroy(&blocks->shards[i]);
  dmd_breakdowns_destroy(&blocks->breakdowns);
  dmd_timekeeper_destroy(&blocks->timekeeper);
  dmd_freed_destroy(&blocks->freed.freed);
  dmd_env_free(blocks->env, blocks->memory);
  dmd_bloom_destroy(blocks->bloom);
  dmd_env_free(blocks->env, blocks);
}

dmd_bloom_t *dmd_blocks_bloom(const dmd_blocks_t *blocks) {
  return blocks->bloom;
}

/* ---- Shards and their locks. ---- */

/* Consecutive chunks are of different shards, as far as there are enough: each shard knows its last
 * chunk, and multiples of the golden ratio lie far apart. */
static dmd_shard_t *shard_of(const dmd_blocks_t *blocks, uint64_t addr) {
  if (blocks->n_shards == 1)
    return blocks->shards;
  const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
  return &blocks->shards[(addr >> DMD_CHUNK_BITS) * golden >> blocks->shift];
}

static void lock(dmd_blocks_t *blocks, dmd_shard_t *shard) {
  if (shard->is_held)
    return;
  dmd_lock_take(&shard->lock, blocks->waiting);
  shard->is_held = true;
  blocks->held[blocks->n_held++] = (uint16_t)(shard - blocks->shards);
}

static __attribute__((cold)) void go_parallel(dmd_blocks_t *blocks) {
  for (uint32_t i = 0; i < blocks->n_shards; i++)
    lock(blocks, &blocks->shards[i]);
  dmd_peak_go_parallel(blocks->peak);
}

static void hold(dmd_blocks_t *blocks, dmd_shard_t *shard) {
  if (blocks->waiting == NULL || shard->is_held)
    return;
  lock(blocks, shard);
  if (!blocks->peak->is_parallel && !dmd_lock_is_alone(blocks->waiting))
    go_parallel(blocks);
  dmd_shard_catch_up(shard);
}

/* Locks and returns the shard of an address. */
static inline dmd_shard_t *at(dmd_blocks_t *blocks, uint64_t addr) {
  if (__builtin_expect(blocks->only != NULL, 1))
    return blocks->only;
  dmd_shard_t *shard = shard_of(blocks, addr);
  hold(blocks, shard);
  return shard;
}

void dmd_blocks_hold_all(dmd_blocks_t *blocks) {
  for (uint32_t i = 0; i < blocks->n_shards; i++)
    hold(blocks, &blocks->shards[i]);
}

void dmd_blocks_let_go(dmd_blocks_t *blocks) {
  while (blocks->n_held > 0) {
    dmd_shard_t *shard = &blocks->shards[blocks->held[--blocks->n_held]];
    shard->is_held = false;
    dmd_lock_let_go(&shard->lock, blocks->waiting);
  }
}

/* ---- Adding, changing and removing blocks. ---- */

/* Converts a shard's block count, which is in fractions if blocks are sampled, to whole blocks. */
static uint64_t whole(const dmd_blocks_t *blocks, uint64_t n) {
  return blocks->sample_interval == 0 ? n : (n + DMD_SHARD_FRACTION / 2) / DMD_SHARD_FRACTION;
}

/* The heap now, after dmd_peak_raise. */
static dmd_timepoint_t point_of(const dmd_blocks_t *blocks) {
  const dmd_turnover_t now = dmd_peak_now(blocks->peak);
  return (dmd_timepoint_t){.szB = dmd_turnover_left(&now),
                           .n_blocks = now.n_allocated - now.n_freed,
                           .alloc_szB = now.allocated_szB,
                           .resident_szB = DMD_MEMORY_UNKNOWN,
                           .least_szB = dmd_turnover_left(&now)};
}

/* not_new: as in dmd_breakdowns_look. */
static void raise_peak(dmd_blocks_t *blocks, uint64_t not_new) {
  dmd_blocks_hold_all(blocks);
  dmd_peak_raise(blocks->peak);
  dmd_timepoint_t now = point_of(blocks), point = now;
  point.least_szB = dmd_peak_take_least(blocks->peak, now.szB);
  dmd_timekeeper_add(&blocks->timekeeper, point);
  dmd_timekeeper_set_last(&blocks->timekeeper, &now);
  if (blocks->timekeeper.is_on)
    dmd_breakdowns_look(&blocks->breakdowns, &now,
                        whole(blocks, dmd_peak_now(blocks->peak).n_allocated), not_new);
}

const dmd_block_t *dmd_blocks_add(dmd_blocks_t *blocks, const dmd_new_block_t *new_block,
                                  uint32_t tag) {
  if (dmd_peak_is_wanted(blocks->peak)) {
    raise_peak(blocks, ~new_block->addr);
    const char *due = dmd_peak_take_due(blocks->peak);
    blocks->due = due != NULL ? due : blocks->due;
  }
  return dmd_shard_add(at(blocks, new_block->addr), new_block, tag);
}

/* Delayed frees: in a large heap the record of a freed block is in none of the processor's caches,
 * and waiting for it would take longer than all else that a free does. This function leaves the
 * record of a block in a slab for later (dmd_shard_settle), and counts any other block before it
 * returns. dmd_blocks_fast_remove, for hosts without slabs, takes the block out at once and counts
 * its record later. Either way nothing here points to the block's memory once that is given
 * back. */
dmd_remove_t dmd_blocks_remove(dmd_blocks_t *blocks, uint64_t addr, uint32_t stack) {
  return dmd_shard_remove(at(blocks, addr), addr, stack);
}

const dmd_block_t *dmd_blocks_renew(dmd_blocks_t *blocks, const dmd_new_block_t *now,
                                    uint32_t tag) {
  return dmd_shard_renew(at(blocks, now->addr), now, tag);
}

void dmd_blocks_resize_announced(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                 uint64_t req) {
  dmd_shard_resize_announced(at(blocks, addr), block, req);
}

void dmd_blocks_remove_announced(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                 uint32_t stack) {
  dmd_shard_remove_this(at(blocks, addr), addr, block, stack);
}

dmd_block_t *dmd_blocks_move_announced(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                       uint64_t to, uint64_t req) {
  return dmd_shard_move_announced(at(blocks, addr), addr, block, at(blocks, to), to, req);
}

/* Any shard will do for the count. */
void dmd_blocks_count_failed_realloc(dmd_blocks_t *blocks, uint64_t req) {
  dmd_shard_count_failed_realloc(at(blocks, 0), req);
}

dmd_block_t *dmd_blocks_begin_move(dmd_blocks_t *blocks, uint64_t addr) {
  return dmd_shard_begin_move(at(blocks, addr), addr, false);
}

void dmd_blocks_drop(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block, uint32_t stack) {
  dmd_shard_remove_this(at(blocks, addr), addr, block, stack);
}

const dmd_block_t *dmd_blocks_end_move(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                       const dmd_new_block_t *now, uint32_t tag) {
  dmd_blocks_drop(blocks, addr, block, now->stack);
  return dmd_blocks_add(blocks, now, tag);
}

void dmd_blocks_put_back(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block, uint64_t req) {
  dmd_shard_count_failed_realloc(at(blocks, addr), req);
  block->is_moving = false;
}

/* ---- Lookup. ---- */

dmd_block_t *dmd_blocks_find(dmd_blocks_t *blocks, uint64_t addr) {
  return dmd_shard_find(at(blocks, addr), addr);
}

dmd_block_t *dmd_blocks_find_freeable(dmd_blocks_t *blocks, uint64_t addr) {
  return dmd_shard_find_freeable(at(blocks, addr), addr);
}

dmd_block_t *dmd_blocks_find_older(dmd_blocks_t *blocks, uint64_t addr, const dmd_block_t *block) {
  return dmd_shard_find_older(at(blocks, addr), addr, block);
}

const dmd_freed_block_t *dmd_blocks_find_freed(dmd_blocks_t *blocks, uint64_t addr) {
  dmd_shard_t *shard = at(blocks, addr);
  dmd_shard_settle(shard);
  dmd_shard_pass_freed(shard);
  if (blocks->freed.waiting != NULL)
    dmd_lock_take(&blocks->freed.lock, blocks->freed.waiting);
  const dmd_freed_block_t *block = dmd_freed_find(&blocks->freed.freed, addr);
  if (block != NULL)
    blocks->found = *block;
  if (blocks->freed.waiting != NULL)
    dmd_lock_let_go(&blocks->freed.lock, blocks->freed.waiting);
  return block == NULL ? NULL : &blocks->found;
}

void dmd_blocks_set_reports(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                            uint32_t reports) {
  if (block->reports == DMD_NONE && blocks->only == NULL)
    dmd_shard_note_special(at(blocks, addr), addr);
  block->reports = reports;
}

dmd_block_t *dmd_blocks_find_announced(dmd_blocks_t *blocks, uint64_t from, uint64_t end,
                                       uint64_t *start) {
  dmd_block_t *first = NULL;
  dmd_blocks_hold_all(blocks);
  for (uint32_t i = 0; i < blocks->n_shards; i++) {
    uint64_t begin;
    dmd_block_t *found = dmd_heap_find_announced(&blocks->shards[i].heap, from, end, &begin);
    if (found != NULL && (first == NULL || begin < *start)) {
      first = found;
      *start = begin;
    }
  }
  return first;
}

bool dmd_blocks_may_nest(const dmd_blocks_t *blocks) {
  for (uint32_t i = 0; i < blocks->n_shards; i++)
    if (blocks->shards[i].heap.may_nest)
      return true;
  return false;
}

/* Blocks in different shards never start at the same address, so the innermost is the one that
 * starts last. */
dmd_block_t *dmd_blocks_find_containing(dmd_blocks_t *blocks, uint64_t addr, uint64_t *start) {
  dmd_block_t *last = NULL;
  dmd_blocks_hold_all(blocks);
  for (uint32_t i = 0; i < blocks->n_shards; i++) {
    uint64_t begin;
    dmd_block_t *found = dmd_shard_find_containing(&blocks->shards[i], addr, &begin);
    if (found != NULL && (last == NULL || begin > *start)) {
      last = found;
      *start = begin;
    }
  }
  return last;
}

void dmd_blocks_watch_reported(dmd_blocks_t *blocks,
                               void (*gone)(void *ctx, const dmd_block_t *block, uint32_t stack),
                               void *ctx) {
  for (uint32_t i = 0; i < blocks->n_shards; i++) {
    blocks->shards[i].gone = gone;
    blocks->shards[i].gone_ctx = ctx;
  }
}

/* Only blocks in slabs have delayed frees, and a host with slabs has one shard. */
void dmd_blocks_settle(dmd_blocks_t *blocks) {
  if (blocks->n_shards == 1)
    dmd_shard_settle(at(blocks, 0));
}

/* Merges the shards in address order: each chunk of address space belongs to one shard. */
static void walk_shards(dmd_blocks_t *blocks,
                        void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx) {
  dmd_addressmap_walk_t walks[DMD_BLOCKS_MAX_SHARDS];
  for (uint32_t i = 0; i < blocks->n_shards; i++)
    dmd_addressmap_walk_begin(&walks[i], &blocks->shards[i].heap.slots);
  dmd_addressmap_walk_t *next;
  do {
    uint64_t addr, lowest = 0;
    next = NULL;
    for (uint32_t i = 0; i < blocks->n_shards; i++)
      if (dmd_addressmap_walk_at(&walks[i], &addr) && (next == NULL || addr < lowest)) {
        next = &walks[i];
        lowest = addr;
      }
    if (next != NULL)
      dmd_addressmap_walk_on(next, visit, ctx);
  } while (next != NULL);
  for (uint32_t i = 0; i < blocks->n_shards; i++)
    dmd_addressmap_walk_end(&walks[i]);
}

void dmd_blocks_walk(dmd_blocks_t *blocks,
                     void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx) {
  dmd_blocks_hold_all(blocks);
  dmd_blocks_settle(blocks);
  if (blocks->n_shards == 1)
    dmd_heap_walk(&blocks->shards->heap, visit, ctx);
  else
    walk_shards(blocks, visit, ctx);
}

/* ---- Totals. ---- */

dmd_totals_t dmd_blocks_totals(dmd_blocks_t *blocks) {
  dmd_totals_t sum = {0};
  dmd_blocks_hold_all(blocks);
  for (uint32_t i = 0; i < blocks->n_shards; i++) {
    dmd_totals_t totals = dmd_shard_totals(&blocks->shards[i]);
    sum.n_allocs += totals.n_allocs;
    sum.n_frees += totals.n_frees;
    sum.alloc_szB += totals.alloc_szB;
    sum.n_blocks += totals.n_blocks;
    sum.in_use_szB += totals.in_use_szB;
    sum.freed_reported += totals.freed_reported;
  }
  dmd_shard_add_turnover(&sum, &blocks->peak->alone.sum);
  sum.n_allocs = whole(blocks, sum.n_allocs);
  sum.n_frees = whole(blocks, sum.n_frees);
  sum.n_blocks = blocks->sample_interval == 0 ? sum.n_blocks : sum.n_allocs - sum.n_frees;
  sum.freed_reported = whole(blocks, sum.freed_reported);
  return sum;
}

/* ---- The peak. ---- */

bool dmd_blocks_peak(dmd_blocks_t *blocks, dmd_moment_t *largest, dmd_moment_t *recent) {
  const dmd_peak_t *peak = blocks->peak;
  raise_peak(blocks, UINT64_MAX);
  *largest = dmd_peak_largest(peak);
  *recent = dmd_peak_recent(peak);
  recent->is_known = dmd_peak_was_earlier(peak);
  largest->n_blocks = whole(blocks, largest->n_blocks);
  recent->n_blocks = whole(blocks, recent->n_blocks);
  return largest->is_known;
}

void dmd_blocks_begin_peak(dmd_blocks_t *blocks) {
  dmd_blocks_hold_all(blocks);
  dmd_blocks_settle(blocks);
  dmd_peak_begin(blocks->peak);
}

bool dmd_blocks_was_at_peak(const dmd_blocks_t *blocks, const dmd_block_t *block) {
  return dmd_peak_has(blocks->peak, block);
}

void dmd_blocks_walk_earlier_peak(dmd_blocks_t *blocks,
                                  void (*visit)(void *ctx, const dmd_block_t *block, uint32_t n),
                                  void *ctx) {
  if (dmd_peak_was_earlier(blocks->peak))
    dmd_peak_walk_earlier(blocks->peak, visit, ctx);
}

void dmd_blocks_walk_gone(dmd_blocks_t *blocks,
                          void (*visit)(void *ctx, const dmd_block_t *block, uint32_t n),
                          void *ctx) {
  dmd_blocks_hold_all(blocks);
  dmd_peak_walk_gone(blocks->peak, visit, ctx);
}

bool dmd_blocks_has_lifetimes(const dmd_blocks_t *blocks) {
  return blocks->peak->ages != NULL;
}

const dmd_lifetime_t *dmd_blocks_lifetime(const dmd_blocks_t *blocks, uint32_t stack) {
  return dmd_ages_of(blocks->peak->ages, stack);
}

uint32_t dmd_blocks_last_freed_stack(const dmd_blocks_t *blocks) {
  return dmd_ages_last_stack(blocks->peak->ages);
}

uint64_t dmd_blocks_most_resident(const dmd_blocks_t *blocks) {
  return blocks->timekeeper.most_resident_szB;
}

const char *dmd_blocks_take_due(dmd_blocks_t *blocks) {
  const char *due = blocks->due;
  blocks->due = NULL;
  return due;
}

void dmd_blocks_forked(dmd_blocks_t *blocks) {
  dmd_blocks_hold_all(blocks);
  dmd_peak_restart(blocks->peak);
  dmd_timekeeper_restart(&blocks->timekeeper);
  dmd_breakdowns_restart(&blocks->breakdowns);
  dmd_timekeeper_add(&blocks->timekeeper, point_of(blocks));
}

/* ---- The timeline. ---- */

void dmd_blocks_mark(dmd_blocks_t *blocks, const char *text, uint64_t dump) {
  raise_peak(blocks, UINT64_MAX);
  dmd_timekeeper_mark(&blocks->timekeeper, point_of(blocks), text, dump);
}

void dmd_blocks_tell_timeline(dmd_blocks_t *blocks, dmd_translation_t *ids) {
  uint64_t unit = blocks->sample_interval == 0 ? 1 : DMD_SHARD_FRACTION;
  raise_peak(blocks, UINT64_MAX);
  dmd_timepoint_t now = point_of(blocks);
  dmd_timekeeper_tell(&blocks->timekeeper, now, unit, ids->to);
  dmd_timekeeper_set_last(&blocks->timekeeper, &now);
  if (blocks->timekeeper.is_on)
    dmd_breakdowns_tell(&blocks->breakdowns, &now, unit, ids);
}

dmd_tag_sum_t dmd_blocks_tag_sum(dmd_blocks_t *blocks, uint32_t tag) {
  dmd_tag_sum_t sum = {0};
  dmd_blocks_hold_all(blocks);
  for (uint32_t i = 0; i < blocks->n_shards; i++) {
    dmd_tag_sum_t part = dmd_shard_tag_sum(&blocks->shards[i], tag);
    sum.usable += part.usable;
    sum.n_blocks += part.n_blocks;
  }
  sum.n_blocks = whole(blocks, sum.n_blocks);
  return sum;
}

void dmd_blocks_clear_freed_reported(dmd_blocks_t *blocks) {
  dmd_blocks_hold_all(blocks);
  dmd_blocks_settle(blocks);
  for (uint32_t i = 0; i < blocks->n_shards; i++)
    blocks->shards[i].totals.freed_reported = 0;
}

/* ---- Fast path, without the engine's lock. ---- */

/* Locks and returns the shard of an address; NULL if threads run in parallel and the peak does not
 * know it yet. */
static inline __attribute__((always_inline)) dmd_shard_t *take(dmd_blocks_t *blocks,
                                                               uint64_t addr) {
  dmd_shard_t *shard = shard_of(blocks, addr);
  int is_alone = dmd_lock_is_alone(blocks->waiting);
  if (!dmd_lock_try_as(&shard->lock, is_alone))
    dmd_lock_wait(&shard->lock, blocks->waiting);
  if (is_alone || __builtin_expect(blocks->peak->is_parallel, 1))
    return shard;
  dmd_lock_let_go(&shard->lock, blocks->waiting);
  return NULL;
}

static inline __attribute__((always_inline)) void let_go(const dmd_blocks_t *blocks,
                                                         dmd_shard_t *shard) {
  dmd_lock_let_go(&shard->lock, blocks->waiting);
}

bool dmd_blocks_fast_add(dmd_blocks_t *blocks, const dmd_new_block_t *new_block, uint32_t tag) {
  if (dmd_peak_is_wanted(blocks->peak))
    return false;
  dmd_shard_t *shard = take(blocks, new_block->addr);
  if (shard == NULL)
    return false;
  bool is_first = dmd_shard_fast_add(shard, new_block, tag);
  let_go(blocks, shard);
  return is_first;
}

bool dmd_blocks_fast_remove(dmd_blocks_t *blocks, uint64_t addr, uint32_t stack,
                            bool is_temporary) {
  dmd_shard_t *shard = take(blocks, addr);
  if (shard == NULL)
    return false;
  bool is_plain = dmd_shard_fast_remove(shard, addr, stack, is_temporary);
  let_go(blocks, shard);
  return is_plain;
}

dmd_block_t *dmd_blocks_fast_begin_move(dmd_blocks_t *blocks, uint64_t addr) {
  dmd_shard_t *shard = take(blocks, addr);
  if (shard == NULL)
    return NULL;
  dmd_block_t *block = dmd_shard_begin_move(shard, addr, true);
  let_go(blocks, shard);
  return block;
}

/* Locks both shards, so that no one sees the block twice or not at all. The second lock is only
 * tried: a thread with the engine's lock may hold it while it waits for the first. */
bool dmd_blocks_fast_end_move(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                              const dmd_new_block_t *now, uint32_t tag) {
  if (dmd_peak_is_wanted(blocks->peak))
    return false;
  dmd_shard_t *from = take(blocks, addr), *into = shard_of(blocks, now->addr);
  if (from == NULL)
    return false;
  bool is_locked = from == into || dmd_lock_try(&into->lock, blocks->waiting);
  bool is_fast = is_locked && block->reports == DMD_NONE && dmd_shard_find(into, now->addr) == NULL;
  if (is_fast) {
    dmd_shard_catch_up(from);
    dmd_shard_catch_up(into);
    dmd_shard_remove_this(from, addr, block, now->stack);
    dmd_shard_add(into, now, tag);
  }
  if (is_locked && from != into)
    let_go(blocks, into);
  let_go(blocks, from);
  return is_fast;
}
