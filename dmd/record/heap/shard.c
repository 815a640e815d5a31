/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/shard.h"

#include "base/mem.h"
#include "model/profile/groups.h"
#include "model/profile/profile.h"

void dmd_shard_init(dmd_shard_t *part, const dmd_env_t *env, const dmd_blocks_config_t *config,
                    dmd_bloom_t *marks, dmd_all_freed_t *freed, dmd_peak_t *peak,
                    const dmd_timekeeper_t *timekeeper) {
  dmd_mem_zero(part, offsetof(dmd_shard_t, own_freed));
  part->sample_interval = config->sample_interval;
  part->marks = marks;
  dmd_heap_init(&part->heap, env, config->slabs);
  dmd_pool_init(&part->tag_sums, env, "dmd.blocks.tag_sums", sizeof(dmd_tag_sum_t));
  part->freed = freed;
  part->peak = peak;
  part->timekeeper = timekeeper;
}

void dmd_shard_destroy(dmd_shard_t *part) {
  dmd_peak_destroy_share(&part->share, part->heap.env);
  dmd_pool_destroy(&part->tag_sums);
  dmd_heap_destroy(&part->heap);
}

/* ---- Counting. ---- */

/* What a block counts as: itself or, if it is a sample, the blocks that it stands for. */
typedef struct {
  uint64_t n, req, usable;
} count_t;

__attribute__((noinline)) static count_t count_of_sample(const dmd_shard_t *part,
                                                         const dmd_block_t *block) {
  double weight = dmd_sampled_weight(part->sample_interval, block->req);
  return (count_t){(uint64_t)(weight * DMD_SHARD_FRACTION), (uint64_t)(weight * (double)block->req),
                   (uint64_t)(weight * (double)dmd_block_usable(block))};
}

static inline __attribute__((always_inline)) count_t count_of(const dmd_shard_t *part,
                                                              const dmd_block_t *block) {
  if (__builtin_expect(part->sample_interval == 0, 1))
    return (count_t){1, block->req, dmd_block_usable(block)};
  return count_of_sample(part, block);
}

static dmd_tag_sum_t *sum_of_tag(const dmd_shard_t *part, uint32_t tag) {
  return DMD_POOL_AT(&part->tag_sums, dmd_tag_sum_t, tag);
}

/* Adds the block's count to its tag's sum (by 1), or subtracts it (by -1). */
__attribute__((noinline)) static void count_tag(dmd_shard_t *part, uint32_t tag, count_t count,
                                                int by) {
  dmd_pool_reach(&part->tag_sums, tag);
  sum_of_tag(part, tag)->usable += count.usable * (uint64_t)by;
  sum_of_tag(part, tag)->n_blocks += count.n * (uint64_t)by;
}

/* Adds a block to the counts of blocks in use; count_out subtracts it. */
static inline void count_in(dmd_shard_t *part, dmd_block_t *block) {
  count_t count = count_of(part, block);
  part->totals.in_use_szB += count.req;
  dmd_peak_add(part->peak, &part->share, block, count.n, count.req);
  if (block->tag != DMD_NONE)
    count_tag(part, block->tag, count, 1);
}

static inline void count_out(dmd_shard_t *part, const dmd_block_t *block) {
  count_t count = count_of(part, block);
  part->totals.in_use_szB -= count.req;
  dmd_peak_remove(part->peak, &part->share, block, count.n, count.req);
  if (block->tag != DMD_NONE)
    count_tag(part, block->tag, count, -1);
}

/* The next allocation adds a point to the timeline if one is due. It takes all locks. */
__attribute__((cold, noinline)) static void look_at_clock(dmd_shard_t *part) {
  part->next_look = part->totals.alloc_szB + DMD_TIMEKEEPER_SZB;
  if (dmd_timekeeper_is_due(part->timekeeper))
    dmd_peak_want(part->peak);
}

static inline void count_new(dmd_shard_t *part, dmd_block_t *block) {
  count_t count = count_of(part, block);
  part->totals.n_allocs += count.n;
  part->totals.alloc_szB += count.req;
  if (__builtin_expect(part->totals.alloc_szB >= part->next_look, 0))
    look_at_clock(part);
  count_in(part, block);
}

/* Frees are counted at the request, so that invalid frees count, too. If blocks are sampled, a free
 * counts as many as its block stood for, and invalid frees are unknown. */
static void count_free(dmd_shard_t *part) {
  part->totals.n_frees += part->sample_interval == 0;
}

/* The block is removed or renewed at this stack. */
static inline void count_old(dmd_shard_t *part, const dmd_block_t *block, uint32_t stack) {
  count_out(part, block);
  if (__builtin_expect(part->sample_interval > 0, 0))
    part->totals.n_frees += count_of(part, block).n;
  if (block->reports == DMD_NONE)
    return;
  part->totals.freed_reported += count_of(part, block).n;
  if (part->gone != NULL)
    part->gone(part->gone_ctx, block, stack);
}

void dmd_shard_pass_freed(dmd_shard_t *part) {
  dmd_all_freed_t *all = part->freed;
  if (part->n_own_freed == 0)
    return;
  dmd_lock_take(&all->lock, all->waiting);
  for (uint32_t i = 0; i < part->n_own_freed; i++)
    dmd_freed_add(&all->freed, &part->own_freed[i]);
  dmd_lock_let_go(&all->lock, all->waiting);
  part->n_own_freed = 0;
}

static inline void note_freed(dmd_shard_t *part, const dmd_freed_block_t *block) {
  if (part->freed->waiting == NULL) {
    dmd_freed_add(&part->freed->freed, block);
    return;
  }
  part->own_freed[part->n_own_freed++] = *block;
  if (__builtin_expect(part->n_own_freed == part->freed->max_own, 0))
    dmd_shard_pass_freed(part);
}

static inline void count_freed(dmd_shard_t *part, const dmd_block_t *block, uint64_t addr,
                               uint32_t stack) {
  count_old(part, block, stack);
  note_freed(part, &(dmd_freed_block_t){.addr = addr,
                                        .usable = dmd_block_usable(block),
                                        .allocated = block->stack,
                                        .freed = stack});
}

void dmd_shard_count_leaving(dmd_shard_t *part) {
  dmd_leaving_t *leaving = &part->leaving;
  if (leaving->removed.block == NULL || leaving->is_counted)
    return;
  count_freed(part, leaving->removed.block, leaving->addr, leaving->stack);
  leaving->is_counted = true;
}

/* Completes the removal of the last block. */
void dmd_shard_settle(dmd_shard_t *part) {
  dmd_leaving_t *leaving = &part->leaving;
  if (leaving->removed.block == NULL)
    return;
  dmd_shard_count_leaving(part);
  dmd_heap_release(&part->heap, &leaving->removed);
  leaving->removed.block = NULL;
  leaving->is_counted = false;
}

/* ---- Adding, changing and removing blocks. ---- */

static inline const dmd_block_t *fill(dmd_shard_t *part, dmd_block_t *block,
                                      const dmd_new_block_t *from, uint32_t tag) {
  block->req = from->req;
  block->slop = (uint32_t)(from->usable - from->req);
  block->stack = from->stack;
  block->reports = DMD_NONE;
  block->tag = (uint16_t)tag;
  block->thread = dmd_thread_number(from->thread);
  count_new(part, block);
  dmd_heap_note_size(&part->heap, block);
  return block;
}

const dmd_block_t *dmd_shard_add(dmd_shard_t *part, const dmd_new_block_t *new_block,
                                 uint32_t tag) {
  if (part->marks != NULL)
    dmd_bloom_add(part->marks, new_block->addr);
  dmd_block_t *block = dmd_heap_add(&part->heap, new_block->addr, new_block->flags);
  return fill(part, block, new_block, tag);
}

/* A free is not counted yet. */
static inline void note_late(const dmd_shard_t *part) {
  dmd_peak_note_late(part->peak, (uint32_t)(part - part->peak->shards));
}

dmd_remove_t dmd_shard_remove(dmd_shard_t *part, uint64_t addr, uint32_t stack) {
  dmd_removed_t *removed = &part->leaving.removed;
  dmd_shard_settle(part);
  count_free(part);
  if (!dmd_heap_remove(&part->heap, addr, removed))
    return DMD_REMOVE_FAILED;
  if (part->marks != NULL)
    dmd_bloom_remove(part->marks, addr);
  part->leaving.addr = addr;
  part->leaving.stack = stack;
  if (removed->stays) {
    note_late(part);
    return DMD_REMOVE_DONE;
  }
  bool is_ours = removed->memory.slab != NULL || (removed->block->flags & DMD_BLOCK_ANNOUNCED);
  dmd_shard_settle(part);
  return is_ours ? DMD_REMOVE_DONE : DMD_REMOVE_MEMORY;
}

void dmd_shard_remove_this(dmd_shard_t *part, uint64_t addr, dmd_block_t *block, uint32_t stack) {
  dmd_shard_settle(part);
  count_free(part);
  if (part->marks != NULL)
    dmd_bloom_remove(part->marks, addr);
  dmd_heap_remove_this(&part->heap, addr, block, &part->leaving.removed);
  part->leaving.addr = addr;
  part->leaving.stack = stack;
  dmd_shard_settle(part);
}

static void set_announced_size(dmd_shard_t *part, dmd_block_t *block, uint64_t req) {
  block->req = req;
  block->slop = 0;
  dmd_heap_note_size(&part->heap, block);
}

dmd_block_t *dmd_shard_move_announced(dmd_shard_t *part, uint64_t addr, dmd_block_t *block,
                                      dmd_shard_t *into, uint64_t to, uint64_t req) {
  count_out(part, block);
  dmd_block_t *moved = dmd_heap_move_announced(&part->heap, addr, block, &into->heap, to);
  set_announced_size(into, moved, req);
  count_in(into, moved);
  return moved;
}

const dmd_block_t *dmd_shard_renew(dmd_shard_t *part, const dmd_new_block_t *now, uint32_t tag) {
  dmd_block_t *block = dmd_shard_find_freeable(part, now->addr);
  count_free(part);
  count_old(part, block, now->stack);
  block->flags = now->flags & DMD_BLOCK_FLAGS;
  return fill(part, block, now, tag);
}

void dmd_shard_resize_announced(dmd_shard_t *part, dmd_block_t *block, uint64_t req) {
  count_out(part, block);
  set_announced_size(part, block, req);
  count_in(part, block);
}

void dmd_shard_count_failed_realloc(dmd_shard_t *part, uint64_t req) {
  uint64_t n = part->sample_interval == 0 ? 1 : DMD_SHARD_FRACTION;
  part->totals.n_allocs += n;
  part->totals.n_frees += n;
  part->totals.alloc_szB += req;
}

/* ---- Fast path, without the engine's lock. ---- */

/* Counts the n oldest late frees. */
static void count_late(dmd_shard_t *part, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const dmd_late_free_t *late = &part->late[part->oldest_late++ % DMD_SHARD_LATE];
    count_freed(part, dmd_addressmap_taken_out(&part->heap.slots, late->id), late->addr,
                late->stack);
    dmd_addressmap_release(&part->heap.slots, late->id);
  }
  part->n_late -= n;
}

void dmd_shard_count_late_frees(dmd_shard_t *part) {
  count_late(part, part->n_late);
}

/* Adds a block where one that is not plain may start. */
__attribute__((noinline)) static bool add_beside(dmd_shard_t *part,
                                                 const dmd_new_block_t *new_block, uint32_t tag) {
  if (dmd_shard_find(part, new_block->addr) != NULL)
    return false;
  dmd_shard_add(part, new_block, tag);
  return true;
}

bool dmd_shard_quick_add(dmd_shard_t *part, const dmd_new_block_t *new_block, uint32_t tag) {
  dmd_block_t *block = dmd_heap_add_plain(&part->heap, new_block->addr, new_block->flags);
  if (__builtin_expect(block != NULL, 1)) {
    if (part->marks != NULL)
      dmd_bloom_add(part->marks, new_block->addr);
    fill(part, block, new_block, tag);
    return true;
  }
  const dmd_new_block_t copy = *new_block; /* so that the original can stay in registers */
  return add_beside(part, &copy, tag);
}

/* Delays the counting: until this many more frees have happened, the block's record arrives from
 * memory. */
static void free_late(dmd_shard_t *part, uint64_t addr, uint32_t stack, uint32_t id) {
  if (part->n_late == DMD_SHARD_LATE)
    count_late(part, DMD_SHARD_LATE / 2);
  part->late[(part->oldest_late + part->n_late++) % DMD_SHARD_LATE] =
      (dmd_late_free_t){.addr = addr, .stack = stack, .id = id};
  part->heap.n_blocks--;
  note_late(part);
  count_free(part);
  if (part->marks != NULL)
    dmd_bloom_remove(part->marks, addr);
}

bool dmd_shard_quick_remove(dmd_shard_t *part, uint64_t addr, uint32_t stack) {
  uint32_t id;
  if (dmd_addressmap_take_out(&part->heap.slots, addr, &id)) {
    free_late(part, addr, stack, id);
    return true;
  }
  if (dmd_shard_find_plain(part, addr) == NULL)
    return false;
  dmd_shard_catch_up(part);
  dmd_shard_remove(part, addr, stack);
  return true;
}

dmd_block_t *dmd_shard_begin_move(dmd_shard_t *part, uint64_t addr, bool if_plain) {
  dmd_block_t *block =
      if_plain ? dmd_shard_find_plain(part, addr) : dmd_shard_find_freeable(part, addr);
  if (block == NULL)
    return NULL;
  block->is_moving = true;
  dmd_shard_note_special(part, addr);
  return block;
}

void dmd_shard_note_special(dmd_shard_t *part, uint64_t addr) {
  dmd_addressmap_note_special(&part->heap.slots, addr);
}

/* ---- Lookup. ---- */

/* Does not settle, since a program that asks for a size would then wait for the previous free. If
 * the heap finds the block that is being removed, no other block is at its address. */
dmd_block_t *dmd_shard_find(const dmd_shard_t *part, uint64_t addr) {
  dmd_block_t *block = dmd_heap_find(&part->heap, addr);
  return block == part->leaving.removed.block ? NULL : block;
}

dmd_block_t *dmd_shard_find_older(const dmd_shard_t *part, uint64_t addr,
                                  const dmd_block_t *block) {
  dmd_block_t *older = dmd_heap_find_older(&part->heap, addr, block);
  return older == part->leaving.removed.block ? NULL : older;
}

dmd_block_t *dmd_shard_find_freeable(const dmd_shard_t *part, uint64_t addr) {
  dmd_block_t *block = dmd_shard_find(part, addr);
  while (block != NULL && (block->flags & DMD_BLOCK_POOLED))
    block = dmd_shard_find_older(part, addr, block);
  return block;
}

dmd_block_t *dmd_shard_find_plain(const dmd_shard_t *part, uint64_t addr) {
  dmd_block_t *block = dmd_shard_find(part, addr);
  bool is_plain =
      block != NULL && !(block->flags & DMD_BLOCK_ANNOUNCED) && block->reports == DMD_NONE;
  return is_plain ? block : NULL;
}

dmd_block_t *dmd_shard_find_containing(dmd_shard_t *part, uint64_t addr, uint64_t *start) {
  dmd_shard_settle(part);
  return dmd_heap_find_containing(&part->heap, addr, start);
}

/* ---- Totals. ---- */

dmd_totals_t dmd_shard_totals(dmd_shard_t *part) {
  dmd_shard_settle(part);
  dmd_totals_t totals = part->totals;
  totals.n_blocks = part->heap.n_blocks;
  return totals;
}

dmd_tag_sum_t dmd_shard_tag_sum(dmd_shard_t *part, uint32_t tag) {
  dmd_shard_settle(part);
  if (tag == DMD_NONE || tag > part->tag_sums.last)
    return (dmd_tag_sum_t){0};
  return *sum_of_tag(part, tag);
}
