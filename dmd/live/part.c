/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/part.h"

#include "base/mem.h"
#include "profile/groups.h"
#include "profile/sampled.h"

void dmd_part_init(dmd_part_t *part, const dmd_env_t *env, const dmd_blocks_config_t *config,
                   dmd_marks_t *marks, dmd_all_freed_t *freed) {
  dmd_mem_zero(part, offsetof(dmd_part_t, own_freed));
  part->sample_interval = config->sample_interval;
  part->marks = marks;
  dmd_heap_init(&part->heap, env, config->slabs);
  dmd_pool_init(&part->tag_sums, env, "dmd.blocks.tag_sums", sizeof(dmd_tag_sum_t));
  part->freed = freed;
}

void dmd_part_destroy(dmd_part_t *part) {
  dmd_pool_destroy(&part->tag_sums);
  dmd_heap_destroy(&part->heap);
}

/* ---- Counting. ---- */

/* What a block counts as: itself or, where it is a sample, what it stands for. */
typedef struct {
  uint64_t n, req, usable;
} count_t;

__attribute__((noinline)) static count_t count_of_sample(const dmd_part_t *part,
                                                         const dmd_block_t *block) {
  double weight = dmd_sampled_weight(part->sample_interval, block->req);
  return (count_t){(uint64_t)(weight * DMD_PART_FRACTION), (uint64_t)(weight * (double)block->req),
                   (uint64_t)(weight * (double)dmd_block_usable(block))};
}

static inline __attribute__((always_inline)) count_t count_of(const dmd_part_t *part,
                                                              const dmd_block_t *block) {
  if (__builtin_expect(part->sample_interval == 0, 1))
    return (count_t){1, block->req, dmd_block_usable(block)};
  return count_of_sample(part, block);
}

static dmd_tag_sum_t *sum_of_tag(const dmd_part_t *part, uint32_t tag) {
  return DMD_POOL_AT(&part->tag_sums, dmd_tag_sum_t, tag);
}

/* Adds to what the tag's blocks amount to, or takes from it. */
__attribute__((noinline)) static void count_tag(dmd_part_t *part, uint32_t tag, count_t count,
                                                int by) {
  dmd_pool_reach(&part->tag_sums, tag);
  sum_of_tag(part, tag)->usable += count.usable * (uint64_t)by;
  sum_of_tag(part, tag)->n_blocks += count.n * (uint64_t)by;
}

/* The block is in use here from now on, or no more. */
static inline void count_in(dmd_part_t *part, const dmd_block_t *block) {
  count_t count = count_of(part, block);
  part->totals.in_use_szB += count.req;
  if (block->tag != DMD_NONE)
    count_tag(part, block->tag, count, 1);
}

static inline void count_out(dmd_part_t *part, const dmd_block_t *block) {
  count_t count = count_of(part, block);
  part->totals.in_use_szB -= count.req;
  if (block->tag != DMD_NONE)
    count_tag(part, block->tag, count, -1);
}

static inline void count_new(dmd_part_t *part, const dmd_block_t *block) {
  count_t count = count_of(part, block);
  part->totals.n_allocs += count.n;
  part->totals.alloc_szB += count.req;
  count_in(part, block);
}

/* A free is counted when it is told, so that one of nothing counts, too. Where blocks are sampled
 * it counts as what its block stood for, and frees of nothing are not known. */
static void count_free(dmd_part_t *part) {
  part->totals.n_frees += part->sample_interval == 0;
}

/* The block goes away or starts anew, at this stack. */
static inline void count_old(dmd_part_t *part, const dmd_block_t *block, uint32_t stack) {
  count_out(part, block);
  if (__builtin_expect(part->sample_interval > 0, 0))
    part->totals.n_frees += count_of(part, block).n;
  if (block->reports == DMD_NONE)
    return;
  part->totals.freed_reported += count_of(part, block).n;
  if (part->gone != NULL)
    part->gone(part->gone_ctx, block, stack);
}

void dmd_part_pass_freed(dmd_part_t *part) {
  dmd_all_freed_t *all = part->freed;
  if (part->n_own_freed == 0)
    return;
  dmd_lock_take(&all->lock, all->waiting);
  for (uint32_t i = 0; i < part->n_own_freed; i++)
    dmd_freed_add(&all->freed, &part->own_freed[i]);
  dmd_lock_let_go(&all->lock, all->waiting);
  part->n_own_freed = 0;
}

static inline void note_freed(dmd_part_t *part, const dmd_freed_block_t *block) {
  if (part->freed->waiting == NULL) {
    dmd_freed_add(&part->freed->freed, block);
    return;
  }
  part->own_freed[part->n_own_freed++] = *block;
  if (__builtin_expect(part->n_own_freed == part->freed->max_own, 0))
    dmd_part_pass_freed(part);
}

static inline void count_freed(dmd_part_t *part, const dmd_block_t *block, uint64_t addr,
                               uint32_t stack) {
  count_old(part, block, stack);
  note_freed(part, &(dmd_freed_block_t){.addr = addr,
                                        .usable = dmd_block_usable(block),
                                        .allocated = block->stack,
                                        .freed = stack});
}

/* Does what the removal of the last block left to do. */
void dmd_part_settle(dmd_part_t *part) {
  dmd_leaving_t *leaving = &part->leaving;
  const dmd_block_t *block = leaving->removed.block;
  if (block == NULL)
    return;
  count_freed(part, block, leaving->addr, leaving->stack);
  dmd_heap_release(&part->heap, &leaving->removed);
  leaving->removed.block = NULL;
}

/* ---- Blocks come, change and go. ---- */

static inline const dmd_block_t *fill(dmd_part_t *part, dmd_block_t *block,
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

const dmd_block_t *dmd_part_add(dmd_part_t *part, const dmd_new_block_t *new_block, uint32_t tag) {
  if (part->marks != NULL)
    dmd_marks_add(part->marks, new_block->addr);
  dmd_block_t *block = dmd_heap_add(&part->heap, new_block->addr, new_block->flags);
  return fill(part, block, new_block, tag);
}

dmd_remove_t dmd_part_remove(dmd_part_t *part, uint64_t addr, uint32_t stack) {
  dmd_removed_t *removed = &part->leaving.removed;
  dmd_part_settle(part);
  count_free(part);
  if (!dmd_heap_remove(&part->heap, addr, removed))
    return DMD_REMOVE_FAILED;
  if (part->marks != NULL)
    dmd_marks_remove(part->marks, addr);
  part->leaving.addr = addr;
  part->leaving.stack = stack;
  if (removed->stays)
    return DMD_REMOVE_DONE;
  bool is_ours = removed->memory.slab != NULL || (removed->block->flags & DMD_BLOCK_ANNOUNCED);
  dmd_part_settle(part);
  return is_ours ? DMD_REMOVE_DONE : DMD_REMOVE_MEMORY;
}

void dmd_part_remove_this(dmd_part_t *part, uint64_t addr, dmd_block_t *block, uint32_t stack) {
  dmd_part_settle(part);
  count_free(part);
  if (part->marks != NULL)
    dmd_marks_remove(part->marks, addr);
  dmd_heap_remove_this(&part->heap, addr, block, &part->leaving.removed);
  part->leaving.addr = addr;
  part->leaving.stack = stack;
  dmd_part_settle(part);
}

static void set_announced_size(dmd_part_t *part, dmd_block_t *block, uint64_t req) {
  block->req = req;
  block->slop = 0;
  dmd_heap_note_size(&part->heap, block);
}

dmd_block_t *dmd_part_move_announced(dmd_part_t *part, uint64_t addr, dmd_block_t *block,
                                     dmd_part_t *into, uint64_t to, uint64_t req) {
  count_out(part, block);
  dmd_block_t *moved = dmd_heap_move_announced(&part->heap, addr, block, &into->heap, to);
  set_announced_size(into, moved, req);
  count_in(into, moved);
  return moved;
}

const dmd_block_t *dmd_part_renew(dmd_part_t *part, const dmd_new_block_t *now, uint32_t tag) {
  dmd_block_t *block = dmd_part_find_freeable(part, now->addr);
  count_free(part);
  count_old(part, block, now->stack);
  block->flags = now->flags & DMD_BLOCK_FLAGS;
  return fill(part, block, now, tag);
}

void dmd_part_resize_announced(dmd_part_t *part, dmd_block_t *block, uint64_t req) {
  count_out(part, block);
  set_announced_size(part, block, req);
  count_in(part, block);
}

void dmd_part_count_failed_realloc(dmd_part_t *part, uint64_t req) {
  uint64_t n = part->sample_interval == 0 ? 1 : DMD_PART_FRACTION;
  part->totals.n_allocs += n;
  part->totals.n_frees += n;
  part->totals.alloc_szB += req;
}

/* ---- Without the engine's lock. ---- */

/* Counts the oldest ones, n of them. */
static void count_late(dmd_part_t *part, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const dmd_late_free_t *late = &part->late[part->oldest_late++ % DMD_PART_LATE];
    count_freed(part, dmd_slots_taken_out(&part->heap.slots, late->id), late->addr, late->stack);
    dmd_slots_release(&part->heap.slots, late->id);
  }
  part->n_late -= n;
}

void dmd_part_count_late_frees(dmd_part_t *part) {
  count_late(part, part->n_late);
}

/* Where one starts that is not plain, or may do. */
__attribute__((noinline)) static bool add_beside(dmd_part_t *part, const dmd_new_block_t *new_block,
                                                 uint32_t tag) {
  if (dmd_part_find(part, new_block->addr) != NULL)
    return false;
  dmd_part_add(part, new_block, tag);
  return true;
}

bool dmd_part_quick_add(dmd_part_t *part, const dmd_new_block_t *new_block, uint32_t tag) {
  dmd_block_t *block = dmd_heap_add_plain(&part->heap, new_block->addr, new_block->flags);
  if (__builtin_expect(block != NULL, 1)) {
    if (part->marks != NULL)
      dmd_marks_add(part->marks, new_block->addr);
    fill(part, block, new_block, tag);
    return true;
  }
  const dmd_new_block_t copy = *new_block; /* so that the other one can stay in registers */
  return add_beside(part, &copy, tag);
}

/* The records of blocks that were freed some frees ago have come from memory since. */
static void free_late(dmd_part_t *part, uint64_t addr, uint32_t stack, uint32_t id) {
  if (part->n_late == DMD_PART_LATE)
    count_late(part, DMD_PART_LATE / 2);
  part->late[(part->oldest_late + part->n_late++) % DMD_PART_LATE] =
      (dmd_late_free_t){.addr = addr, .stack = stack, .id = id};
  part->heap.n_blocks--;
  count_free(part);
  if (part->marks != NULL)
    dmd_marks_remove(part->marks, addr);
}

bool dmd_part_quick_remove(dmd_part_t *part, uint64_t addr, uint32_t stack) {
  uint32_t id;
  if (dmd_slots_take_out(&part->heap.slots, addr, &id)) {
    free_late(part, addr, stack, id);
    return true;
  }
  if (dmd_part_find_plain(part, addr) == NULL)
    return false;
  dmd_part_catch_up(part);
  dmd_part_remove(part, addr, stack);
  return true;
}

dmd_block_t *dmd_part_begin_move(dmd_part_t *part, uint64_t addr, bool if_plain) {
  dmd_block_t *block =
      if_plain ? dmd_part_find_plain(part, addr) : dmd_part_find_freeable(part, addr);
  if (block == NULL)
    return NULL;
  block->is_moving = true;
  dmd_part_note_special(part, addr);
  return block;
}

void dmd_part_note_special(dmd_part_t *part, uint64_t addr) {
  dmd_slots_note_special(&part->heap.slots, addr);
}

/* ---- Who is there. ---- */

/* Does not settle, since a program that asks for a size would wait for the free before. If the heap
 * finds the block that leaves, there is no other at its address. */
dmd_block_t *dmd_part_find(const dmd_part_t *part, uint64_t addr) {
  dmd_block_t *block = dmd_heap_find(&part->heap, addr);
  return block == part->leaving.removed.block ? NULL : block;
}

dmd_block_t *dmd_part_find_older(const dmd_part_t *part, uint64_t addr, const dmd_block_t *block) {
  dmd_block_t *older = dmd_heap_find_older(&part->heap, addr, block);
  return older == part->leaving.removed.block ? NULL : older;
}

dmd_block_t *dmd_part_find_freeable(const dmd_part_t *part, uint64_t addr) {
  dmd_block_t *block = dmd_part_find(part, addr);
  while (block != NULL && (block->flags & DMD_BLOCK_POOLED))
    block = dmd_part_find_older(part, addr, block);
  return block;
}

dmd_block_t *dmd_part_find_plain(const dmd_part_t *part, uint64_t addr) {
  dmd_block_t *block = dmd_part_find(part, addr);
  bool is_plain =
      block != NULL && !(block->flags & DMD_BLOCK_ANNOUNCED) && block->reports == DMD_NONE;
  return is_plain ? block : NULL;
}

dmd_block_t *dmd_part_find_containing(dmd_part_t *part, uint64_t addr, uint64_t *start) {
  dmd_part_settle(part);
  return dmd_heap_find_containing(&part->heap, addr, start);
}

/* ---- What they amount to. ---- */

dmd_totals_t dmd_part_totals(dmd_part_t *part) {
  dmd_part_settle(part);
  dmd_totals_t totals = part->totals;
  totals.n_blocks = part->heap.n_blocks;
  return totals;
}

dmd_tag_sum_t dmd_part_tag_sum(dmd_part_t *part, uint32_t tag) {
  dmd_part_settle(part);
  if (tag == DMD_NONE || tag > part->tag_sums.last)
    return (dmd_tag_sum_t){0};
  return *sum_of_tag(part, tag);
}
