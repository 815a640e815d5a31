/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/blocks.h"

#include "base/mem.h"
#include "live/part.h"

struct dmd_blocks {
  const dmd_env_t *env;
  const dmd_waiting_t *waiting;
  uint64_t sample_interval;
  dmd_marks_t *marks; /* or NULL */
  dmd_part_t *only;   /* the part, if there is one and no lock; else NULL */
  dmd_part_t *parts;  /* aligned to lines */
  void *memory;       /* that they lie in */
  uint32_t n_parts, shift;
  dmd_all_freed_t freed;
  dmd_freed_block_t found; /* what dmd_blocks_find_freed answered */
  uint32_t n_held;         /* this and the next: of the thread that has the engine's lock */
  uint16_t held[DMD_BLOCKS_MAX_PARTS]; /* the parts that it holds */
};

/* How many freed blocks a part has for itself: all parts together no more than are remembered, so
 * that a small number is kept as it is. */
static uint32_t own_freed(const dmd_blocks_t *blocks, uint32_t max_freed) {
  uint32_t n = max_freed / blocks->n_parts;
  return n == 0 ? 1 : n < DMD_PART_FREED ? n : DMD_PART_FREED;
}

/* What other parts had when a block was freed may come after it, and must not take its place. */
static uint32_t room_for_freed(const dmd_blocks_t *blocks, uint32_t max_freed) {
  uint32_t others = blocks->n_parts * (blocks->freed.max_own - 1);
  return blocks->freed.waiting == NULL ? max_freed : max_freed + others;
}

dmd_blocks_t *dmd_blocks_create(const dmd_env_t *env, const dmd_blocks_config_t *config) {
  if (config->n_parts > DMD_BLOCKS_MAX_PARTS || (config->n_parts > 1 && config->slabs != NULL))
    env->panic(env->ctx, "blocks cannot have so many parts");
  dmd_blocks_t *blocks = dmd_env_alloc(env, "dmd.blocks", sizeof *blocks);
  dmd_mem_zero(blocks, sizeof *blocks);
  blocks->env = env;
  blocks->waiting = config->waiting;
  blocks->n_parts = 1;
  for (blocks->shift = 64; blocks->n_parts < config->n_parts; blocks->shift--)
    blocks->n_parts *= 2;
  blocks->freed.waiting = config->max_freed == 0 ? NULL : config->waiting;
  blocks->freed.max_own = own_freed(blocks, config->max_freed);
  dmd_freed_init(&blocks->freed.freed, env, room_for_freed(blocks, config->max_freed));
  blocks->memory = dmd_env_alloc(env, "dmd.blocks.parts",
                                 blocks->n_parts * sizeof(dmd_part_t) + DMD_PART_LINE - 1);
  uintptr_t at = (uintptr_t)blocks->memory + DMD_PART_LINE - 1;
  blocks->parts = (dmd_part_t *)(at & ~(uintptr_t)(DMD_PART_LINE - 1));
  blocks->sample_interval = config->sample_interval;
  if (config->sample_interval > 0)
    blocks->marks = dmd_marks_create(env);
  for (uint32_t i = 0; i < blocks->n_parts; i++)
    dmd_part_init(&blocks->parts[i], env, config, blocks->marks, &blocks->freed);
  if (blocks->n_parts == 1 && blocks->waiting == NULL)
    blocks->only = blocks->parts;
  return blocks;
}

void dmd_blocks_destroy(dmd_blocks_t *blocks) {
  for (uint32_t i = 0; i < blocks->n_parts; i++)
    dmd_part_destroy(&blocks->parts[i]);
  dmd_freed_destroy(&blocks->freed.freed);
  dmd_env_free(blocks->env, blocks->memory);
  dmd_marks_destroy(blocks->marks);
  dmd_env_free(blocks->env, blocks);
}

dmd_marks_t *dmd_blocks_marks(const dmd_blocks_t *blocks) {
  return blocks->marks;
}

/* ---- Parts and their locks. ---- */

static dmd_part_t *part_of(const dmd_blocks_t *blocks, uint64_t addr) {
  if (blocks->n_parts == 1)
    return blocks->parts;
  return &blocks->parts[dmd_hash_u64(addr >> DMD_CHUNK_BITS) >> blocks->shift];
}

static void hold(dmd_blocks_t *blocks, dmd_part_t *part) {
  if (blocks->waiting == NULL || part->is_held)
    return;
  dmd_lock_take(&part->lock, blocks->waiting);
  dmd_part_catch_up(part);
  part->is_held = true;
  blocks->held[blocks->n_held++] = (uint16_t)(part - blocks->parts);
}

/* The part of an address, held from now on. */
static inline dmd_part_t *at(dmd_blocks_t *blocks, uint64_t addr) {
  if (__builtin_expect(blocks->only != NULL, 1))
    return blocks->only;
  dmd_part_t *part = part_of(blocks, addr);
  hold(blocks, part);
  return part;
}

void dmd_blocks_hold_all(dmd_blocks_t *blocks) {
  for (uint32_t i = 0; i < blocks->n_parts; i++)
    hold(blocks, &blocks->parts[i]);
}

void dmd_blocks_let_go(dmd_blocks_t *blocks) {
  while (blocks->n_held > 0) {
    dmd_part_t *part = &blocks->parts[blocks->held[--blocks->n_held]];
    part->is_held = false;
    dmd_lock_let_go(&part->lock, blocks->waiting);
  }
}

/* ---- Blocks come, change and go. ---- */

const dmd_block_t *dmd_blocks_add(dmd_blocks_t *blocks, const dmd_new_block_t *new_block,
                                  uint32_t tag) {
  return dmd_part_add(at(blocks, new_block->addr), new_block, tag);
}

dmd_remove_t dmd_blocks_remove(dmd_blocks_t *blocks, uint64_t addr, uint32_t stack) {
  return dmd_part_remove(at(blocks, addr), addr, stack);
}

const dmd_block_t *dmd_blocks_renew(dmd_blocks_t *blocks, const dmd_new_block_t *now,
                                    uint32_t tag) {
  return dmd_part_renew(at(blocks, now->addr), now, tag);
}

void dmd_blocks_resize_announced(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                 uint64_t req) {
  dmd_part_resize_announced(at(blocks, addr), block, req);
}

void dmd_blocks_remove_announced(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                 uint32_t stack) {
  dmd_part_remove_this(at(blocks, addr), addr, block, stack);
}

dmd_block_t *dmd_blocks_move_announced(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                       uint64_t to, uint64_t req) {
  return dmd_part_move_announced(at(blocks, addr), addr, block, at(blocks, to), to, req);
}

/* Which part counts it does not matter. */
void dmd_blocks_count_failed_realloc(dmd_blocks_t *blocks, uint64_t req) {
  dmd_part_count_failed_realloc(at(blocks, 0), req);
}

dmd_block_t *dmd_blocks_begin_move(dmd_blocks_t *blocks, uint64_t addr) {
  return dmd_part_begin_move(at(blocks, addr), addr, false);
}

void dmd_blocks_drop(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block, uint32_t stack) {
  dmd_part_remove_this(at(blocks, addr), addr, block, stack);
}

const dmd_block_t *dmd_blocks_end_move(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                       const dmd_new_block_t *now, uint32_t tag) {
  dmd_blocks_drop(blocks, addr, block, now->stack);
  return dmd_blocks_add(blocks, now, tag);
}

void dmd_blocks_put_back(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block, uint64_t req) {
  dmd_part_count_failed_realloc(at(blocks, addr), req);
  block->is_moving = false;
}

/* ---- Who is there. ---- */

dmd_block_t *dmd_blocks_find(dmd_blocks_t *blocks, uint64_t addr) {
  return dmd_part_find(at(blocks, addr), addr);
}

dmd_block_t *dmd_blocks_find_freeable(dmd_blocks_t *blocks, uint64_t addr) {
  return dmd_part_find_freeable(at(blocks, addr), addr);
}

dmd_block_t *dmd_blocks_find_older(dmd_blocks_t *blocks, uint64_t addr, const dmd_block_t *block) {
  return dmd_part_find_older(at(blocks, addr), addr, block);
}

const dmd_freed_block_t *dmd_blocks_find_freed(dmd_blocks_t *blocks, uint64_t addr) {
  dmd_part_t *part = at(blocks, addr);
  dmd_part_settle(part);
  dmd_part_pass_freed(part);
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
    dmd_part_note_special(at(blocks, addr), addr);
  block->reports = reports;
}

dmd_block_t *dmd_blocks_find_announced(dmd_blocks_t *blocks, uint64_t from, uint64_t end,
                                       uint64_t *start) {
  dmd_block_t *first = NULL;
  dmd_blocks_hold_all(blocks);
  for (uint32_t i = 0; i < blocks->n_parts; i++) {
    uint64_t begin;
    dmd_block_t *found = dmd_heap_find_announced(&blocks->parts[i].heap, from, end, &begin);
    if (found != NULL && (first == NULL || begin < *start)) {
      first = found;
      *start = begin;
    }
  }
  return first;
}

bool dmd_blocks_may_nest(const dmd_blocks_t *blocks) {
  for (uint32_t i = 0; i < blocks->n_parts; i++)
    if (blocks->parts[i].heap.may_nest)
      return true;
  return false;
}

/* Blocks of different parts do not start at one address; so the innermost is the one that starts
 * last. */
dmd_block_t *dmd_blocks_find_containing(dmd_blocks_t *blocks, uint64_t addr, uint64_t *start) {
  dmd_block_t *last = NULL;
  dmd_blocks_hold_all(blocks);
  for (uint32_t i = 0; i < blocks->n_parts; i++) {
    uint64_t begin;
    dmd_block_t *found = dmd_part_find_containing(&blocks->parts[i], addr, &begin);
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
  for (uint32_t i = 0; i < blocks->n_parts; i++) {
    blocks->parts[i].gone = gone;
    blocks->parts[i].gone_ctx = ctx;
  }
}

/* Only blocks of slabs leave later, and where there are slabs there is one part. */
void dmd_blocks_settle(dmd_blocks_t *blocks) {
  if (blocks->n_parts == 1)
    dmd_part_settle(at(blocks, 0));
}

/* Each 1 MiB of address space is in one part. */
static void walk_parts(dmd_blocks_t *blocks,
                       void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx) {
  dmd_slots_walk_t walks[DMD_BLOCKS_MAX_PARTS];
  for (uint32_t i = 0; i < blocks->n_parts; i++)
    dmd_slots_walk_begin(&walks[i], &blocks->parts[i].heap.slots);
  dmd_slots_walk_t *next;
  do {
    uint64_t addr, lowest = 0;
    next = NULL;
    for (uint32_t i = 0; i < blocks->n_parts; i++)
      if (dmd_slots_walk_at(&walks[i], &addr) && (next == NULL || addr < lowest)) {
        next = &walks[i];
        lowest = addr;
      }
    if (next != NULL)
      dmd_slots_walk_on(next, visit, ctx);
  } while (next != NULL);
  for (uint32_t i = 0; i < blocks->n_parts; i++)
    dmd_slots_walk_end(&walks[i]);
}

void dmd_blocks_walk(dmd_blocks_t *blocks,
                     void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx) {
  dmd_blocks_hold_all(blocks);
  dmd_blocks_settle(blocks);
  if (blocks->n_parts == 1)
    dmd_heap_walk(&blocks->parts->heap, visit, ctx);
  else
    walk_parts(blocks, visit, ctx);
}

/* ---- What they amount to. ---- */

/* Makes numbers of blocks of what the parts have as such. */
static uint64_t whole(const dmd_blocks_t *blocks, uint64_t n) {
  return blocks->sample_interval == 0 ? n : (n + DMD_PART_FRACTION / 2) / DMD_PART_FRACTION;
}

dmd_totals_t dmd_blocks_totals(dmd_blocks_t *blocks) {
  dmd_totals_t sum = {0};
  dmd_blocks_hold_all(blocks);
  for (uint32_t i = 0; i < blocks->n_parts; i++) {
    dmd_totals_t totals = dmd_part_totals(&blocks->parts[i]);
    sum.n_allocs += totals.n_allocs;
    sum.n_frees += totals.n_frees;
    sum.alloc_szB += totals.alloc_szB;
    sum.n_blocks += totals.n_blocks;
    sum.in_use_szB += totals.in_use_szB;
    sum.freed_reported += totals.freed_reported;
  }
  sum.n_allocs = whole(blocks, sum.n_allocs);
  sum.n_frees = whole(blocks, sum.n_frees);
  sum.n_blocks = blocks->sample_interval == 0 ? sum.n_blocks : sum.n_allocs - sum.n_frees;
  sum.freed_reported = whole(blocks, sum.freed_reported);
  return sum;
}

dmd_tag_sum_t dmd_blocks_tag_sum(dmd_blocks_t *blocks, uint32_t tag) {
  dmd_tag_sum_t sum = {0};
  dmd_blocks_hold_all(blocks);
  for (uint32_t i = 0; i < blocks->n_parts; i++) {
    dmd_tag_sum_t part = dmd_part_tag_sum(&blocks->parts[i], tag);
    sum.usable += part.usable;
    sum.n_blocks += part.n_blocks;
  }
  sum.n_blocks = whole(blocks, sum.n_blocks);
  return sum;
}

void dmd_blocks_clear_freed_reported(dmd_blocks_t *blocks) {
  dmd_blocks_hold_all(blocks);
  dmd_blocks_settle(blocks);
  for (uint32_t i = 0; i < blocks->n_parts; i++)
    blocks->parts[i].totals.freed_reported = 0;
}

/* ---- Without the engine's lock. ---- */

static inline __attribute__((always_inline)) dmd_part_t *take(dmd_blocks_t *blocks, uint64_t addr) {
  dmd_part_t *part = part_of(blocks, addr);
  dmd_lock_take(&part->lock, blocks->waiting);
  return part;
}

static inline __attribute__((always_inline)) void let_go(const dmd_blocks_t *blocks,
                                                         dmd_part_t *part) {
  dmd_lock_let_go(&part->lock, blocks->waiting);
}

bool dmd_blocks_quick_add(dmd_blocks_t *blocks, const dmd_new_block_t *new_block, uint32_t tag) {
  dmd_part_t *part = take(blocks, new_block->addr);
  bool is_first = dmd_part_quick_add(part, new_block, tag);
  let_go(blocks, part);
  return is_first;
}

bool dmd_blocks_quick_remove(dmd_blocks_t *blocks, uint64_t addr, uint32_t stack) {
  dmd_part_t *part = take(blocks, addr);
  bool is_plain = dmd_part_quick_remove(part, addr, stack);
  let_go(blocks, part);
  return is_plain;
}

dmd_block_t *dmd_blocks_quick_begin_move(dmd_blocks_t *blocks, uint64_t addr) {
  dmd_part_t *part = take(blocks, addr);
  dmd_block_t *block = dmd_part_begin_move(part, addr, true);
  let_go(blocks, part);
  return block;
}

/* Both parts are locked, so that nobody sees the block twice or not at all. Whoever has the
 * engine's lock may have the second one and wait for the first. */
bool dmd_blocks_quick_end_move(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                               const dmd_new_block_t *now, uint32_t tag) {
  dmd_part_t *from = take(blocks, addr), *into = part_of(blocks, now->addr);
  bool is_locked = from == into || dmd_lock_try(&into->lock, blocks->waiting);
  bool is_quick = is_locked && block->reports == DMD_NONE && dmd_part_find(into, now->addr) == NULL;
  if (is_quick) {
    dmd_part_catch_up(from);
    dmd_part_catch_up(into);
    dmd_part_remove_this(from, addr, block, now->stack);
    dmd_part_add(into, now, tag);
  }
  if (is_locked && from != into)
    let_go(blocks, into);
  let_go(blocks, from);
  return is_quick;
}
