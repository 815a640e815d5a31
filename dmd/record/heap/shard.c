/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/shard.h"

#include "base/mem.h"
#include "model/profile/groups.h"
#include "model/profile/profile.h"

void dmd_shard_init(dmd_shard_t *part, const dmd_env_t *env, const dmd_blocks_config_t *config,
                    dmd_bloom_t *bloom, dmd_all_freed_t *freed, dmd_peak_t *peak,
                    dmd_late_alone_t *late_alone) {
  dmd_mem_zero(part, offsetof(dmd_shard_t, own_freed));
  part->sample_interval = config->sample_interval;
  part->bloom = bloom;
  dmd_heap_init(&part->heap, env, config->slabs);
  dmd_pool_init(&part->tag_sums, env, "dmd.blocks.tag_sums", sizeof(dmd_tag_sum_t));
  part->freed = freed;
  part->peak = peak;
  part->late_alone = late_alone;
}

void dmd_shard_destroy(dmd_shard_t *part) {
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

uint64_t dmd_shard_bytes_of(const dmd_shard_t *part, const dmd_block_t *block) {
  return count_of(part, block).req;
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

static inline bool is_announced(const dmd_block_t *block) {
  return block->flags & DMD_BLOCK_ANNOUNCED;
}

/* Adds an announced block to the sums of blocks in use (by 1), or subtracts it (by -1). */
__attribute__((noinline)) static void count_announced(dmd_shard_t *part, const dmd_block_t *block,
                                                      int by) {
  count_t count = count_of(part, block);
  part->totals.in_use_szB += count.req * (uint64_t)by;
  if (block->tag != DMD_NONE)
    count_tag(part, block->tag, count, by);
}

/* The next allocation adds a point to the timeline if one is due. It takes all locks. */
__attribute__((cold, noinline)) static void look_at_clock(dmd_shard_t *part) {
  dmd_peak_t *peak = part->peak;
  uint64_t allocated = part->share.sum.allocated_szB;
  part->next_look = allocated + DMD_TIMEKEEPER_SZB;
  if (peak->ages != NULL && peak->is_parallel) {
    dmd_ages_pass(peak->ages, allocated - part->aged, &peak->number, DMD_PEAK_LAST_NUMBER);
    part->aged = allocated;
  }
  dmd_peak_look(peak);
}

static inline void count_new(dmd_shard_t *part, dmd_block_t *block) {
  count_t count = count_of(part, block);
  if (__builtin_expect(is_announced(block), 0)) {
    part->totals.n_allocs += count.n;
    part->totals.alloc_szB += count.req;
    block->born = UINT32_MAX;
    count_announced(part, block, 1);
    return;
  }
  dmd_peak_add(part->peak, &part->share, block, count.n, count.req);
  if (__builtin_expect(part->share.sum.allocated_szB >= part->next_look, 0))
    look_at_clock(part);
  if (block->tag != DMD_NONE)
    count_tag(part, block->tag, count, 1);
}

__attribute__((noinline)) static void count_age(const dmd_shard_t *part, const dmd_block_t *block,
                                                const dmd_instant_t *before, bool is_temporary) {
  dmd_ages_t *ages = part->peak->ages;
  if (before == NULL)
    dmd_ages_free_in_parallel(ages, block, is_temporary);
  else
    dmd_ages_free(ages, block, ages->clock.now != NULL ? before->time : before->allocated_szB,
                  before->number, before->newest == block);
}

static inline __attribute__((always_inline)) void count_out(dmd_shard_t *part,
                                                            const dmd_block_t *block,
                                                            const dmd_instant_t *before,
                                                            bool is_temporary) {
  count_t count = count_of(part, block);
  if (__builtin_expect(part->peak->ages != NULL, 0))
    count_age(part, block, before, is_temporary);
  dmd_peak_remove(part->peak, &part->share, block, count.n, count.req, before);
  if (block->tag != DMD_NONE)
    count_tag(part, block->tag, count, -1);
}

/* The block is removed or renewed at this stack. */
static void count_old(dmd_shard_t *part, const dmd_block_t *block, uint32_t stack,
                      const dmd_instant_t *before, bool is_temporary) {
  uint64_t n = count_of(part, block).n;
  if (is_announced(block)) {
    part->totals.n_frees += n;
    count_announced(part, block, -1);
  } else {
    count_out(part, block, before, is_temporary);
  }
  if (block->reports == DMD_NONE)
    return;
  part->totals.freed_reported += n;
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

static inline void remember_freed(dmd_shard_t *part, const dmd_block_t *block, uint64_t addr,
                                  uint32_t stack) {
  note_freed(part, &(dmd_freed_block_t){.addr = addr,
                                        .usable = dmd_block_usable(block),
                                        .allocated = block->stack,
                                        .freed = stack});
}

void dmd_shard_count_leaving(dmd_shard_t *part) {
  dmd_leaving_t *leaving = &part->leaving;
  if (leaving->removed.block == NULL || leaving->is_counted)
    return;
  count_old(part, leaving->removed.block, leaving->stack,
            part->peak->is_parallel ? NULL : &leaving->before, leaving->is_temporary);
  remember_freed(part, leaving->removed.block, leaving->addr, leaving->stack);
  leaving->is_counted = true;
  leaving->is_temporary = false;
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
  if (part->bloom != NULL)
    dmd_bloom_add(part->bloom, new_block->addr);
  dmd_block_t *block = dmd_heap_add(&part->heap, new_block->addr, new_block->flags);
  return fill(part, block, new_block, tag);
}

dmd_remove_t dmd_shard_remove(dmd_shard_t *part, uint64_t addr, uint32_t stack) {
  dmd_removed_t *removed = &part->leaving.removed;
  dmd_shard_settle(part);
  dmd_peak_begin_free(part->peak, &part->leaving.before);
  if (!dmd_heap_remove(&part->heap, addr, removed)) {
    part->totals.n_frees += part->sample_interval == 0;
    return DMD_REMOVE_FAILED;
  }
  if (part->bloom != NULL)
    dmd_bloom_remove(part->bloom, addr);
  part->leaving.addr = addr;
  part->leaving.stack = stack;
  if (removed->stays)
    return DMD_REMOVE_DONE;
  bool is_ours = removed->memory.slab != NULL || is_announced(removed->block);
  dmd_shard_settle(part);
  return is_ours ? DMD_REMOVE_DONE : DMD_REMOVE_MEMORY;
}

void dmd_shard_remove_this(dmd_shard_t *part, uint64_t addr, dmd_block_t *block, uint32_t stack) {
  dmd_shard_settle(part);
  if (part->bloom != NULL)
    dmd_bloom_remove(part->bloom, addr);
  dmd_peak_begin_free(part->peak, &part->leaving.before);
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
  count_announced(part, block, -1);
  dmd_block_t *moved = dmd_heap_move_announced(&part->heap, addr, block, &into->heap, to);
  set_announced_size(into, moved, req);
  count_announced(into, moved, 1);
  return moved;
}

const dmd_block_t *dmd_shard_renew(dmd_shard_t *part, const dmd_new_block_t *now, uint32_t tag) {
  dmd_block_t *block = dmd_shard_find_freeable(part, now->addr);
  dmd_shard_count_leaving(part);
  dmd_instant_t before;
  dmd_peak_begin_free(part->peak, &before);
  count_old(part, block, now->stack, part->peak->is_parallel ? NULL : &before, false);
  block->flags = now->flags & DMD_BLOCK_FLAGS;
  return fill(part, block, now, tag);
}

void dmd_shard_resize_announced(dmd_shard_t *part, dmd_block_t *block, uint64_t req) {
  count_announced(part, block, -1);
  set_announced_size(part, block, req);
  count_announced(part, block, 1);
}

void dmd_shard_count_failed_realloc(dmd_shard_t *part, uint64_t req) {
  uint64_t n = part->sample_interval == 0 ? 1 : DMD_SHARD_FRACTION;
  part->totals.n_allocs += n;
  part->totals.n_frees += n;
  part->totals.alloc_szB += req;
}

/* ---- Fast path, without the engine's lock. ---- */

/* Such a block was neither announced nor reported. */
static inline __attribute__((always_inline)) void
count_late_free(dmd_shard_t *part, const dmd_late_free_t *late, const dmd_instant_t *before) {
  const dmd_block_t *block = dmd_addressmap_taken_out(&part->heap.slots, late->id);
  count_out(part, block, before, late->is_temporary);
  remember_freed(part, block, late->addr, late->stack);
  dmd_addressmap_release(&part->heap.slots, late->id);
}

/* Counts the n oldest late frees. */
static void count_late(dmd_shard_t *part, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    count_late_free(part, &part->late[part->oldest_late++ % DMD_SHARD_LATE], NULL);
  part->n_late -= n;
}

void dmd_shard_count_late_frees(dmd_shard_t *part) {
  count_late(part, part->n_late);
}

static void count_late_alone(dmd_late_alone_t *late, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at = late->oldest++ % DMD_SHARD_LATE;
    count_late_free(late->ring[at].shard, &late->ring[at].free, &late->ring[at].before);
  }
  late->n -= n;
}

void dmd_shard_count_late_alone(dmd_late_alone_t *late) {
  count_late_alone(late, late->n);
}

/* Adds a block where one that is not plain may start. */
__attribute__((noinline)) static bool add_beside(dmd_shard_t *part,
                                                 const dmd_new_block_t *new_block, uint32_t tag) {
  if (dmd_shard_find(part, new_block->addr) != NULL)
    return false;
  dmd_shard_add(part, new_block, tag);
  return true;
}

bool dmd_shard_fast_add(dmd_shard_t *part, const dmd_new_block_t *new_block, uint32_t tag) {
  dmd_block_t *block = dmd_heap_add_plain(&part->heap, new_block->addr, new_block->flags);
  if (__builtin_expect(block != NULL, 1)) {
    if (part->bloom != NULL)
      dmd_bloom_add(part->bloom, new_block->addr);
    fill(part, block, new_block, tag);
    return true;
  }
  const dmd_new_block_t copy = *new_block; /* so that the original can stay in registers */
  return add_beside(part, &copy, tag);
}

/* Late frees: until this many more have happened, the block's record arrives from memory. */
static inline dmd_late_free_t *next_late(dmd_shard_t *part) {
  if (part->n_late == DMD_SHARD_LATE)
    count_late(part, DMD_SHARD_LATE / 2);
  return &part->late[(part->oldest_late + part->n_late) % DMD_SHARD_LATE];
}

static inline dmd_late_free_t *next_late_alone(dmd_shard_t *part) {
  dmd_late_alone_t *late = part->late_alone;
  if (late->n == DMD_SHARD_LATE)
    count_late_alone(late, DMD_SHARD_LATE / 2);
  uint32_t at = (late->oldest + late->n) % DMD_SHARD_LATE;
  dmd_peak_begin_free(part->peak, &late->ring[at].before);
  late->ring[at].shard = part;
  return &late->ring[at].free;
}

bool dmd_shard_fast_remove(dmd_shard_t *part, uint64_t addr, uint32_t stack, bool is_temporary) {
  uint32_t id;
  bool is_parallel = part->peak->is_parallel;
  dmd_late_free_t *late = is_parallel ? next_late(part) : next_late_alone(part);
  if (dmd_addressmap_take_out(&part->heap.slots, addr, &id)) {
    *late = (dmd_late_free_t){
        .addr = addr, .stack = stack, .id = id & INT32_MAX, .is_temporary = is_temporary};
    ++*(is_parallel ? &part->n_late : &part->late_alone->n);
    part->heap.n_blocks--;
    if (part->bloom != NULL)
      dmd_bloom_remove(part->bloom, addr);
    return true;
  }
  if (dmd_shard_find_plain(part, addr) == NULL)
    return false;
  dmd_shard_catch_up(part);
  dmd_shard_settle(part);
  part->leaving.is_temporary = is_temporary;
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

void dmd_shard_add_turnover(dmd_totals_t *totals, const dmd_turnover_t *sum) {
  totals->n_allocs += sum->n_allocated;
  totals->n_frees += sum->n_freed;
  totals->alloc_szB += sum->allocated_szB;
  totals->in_use_szB += dmd_turnover_left(sum);
}

dmd_totals_t dmd_shard_totals(dmd_shard_t *part) {
  dmd_shard_settle(part);
  dmd_totals_t totals = part->totals;
  totals.n_blocks = part->heap.n_blocks;
  dmd_shard_add_turnover(&totals, &part->share.sum);
  return totals;
}

dmd_tag_sum_t dmd_shard_tag_sum(dmd_shard_t *part, uint32_t tag) {
  dmd_shard_settle(part);
  if (tag == DMD_NONE || tag > part->tag_sums.last)
    return (dmd_tag_sum_t){0};
  return *sum_of_tag(part, tag);
}
