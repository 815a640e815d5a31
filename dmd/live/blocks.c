/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/blocks.h"

#include "base/mem.h"
#include "live/heap.h"
#include "profile/groups.h"

/* The block that was removed last, until it is settled. */
typedef struct {
  dmd_removed_t removed; /* block is NULL where nothing is left to settle */
  uint64_t addr;
  uint32_t stack; /* where freed */
} leaving_t;

struct dmd_blocks {
  const dmd_env_t *env;
  dmd_heap_t heap;
  leaving_t leaving;
  dmd_totals_t totals; /* but for n_blocks, which the heap has; with the block that leaves */
  dmd_pool_t tag_sums; /* a dmd_tag_sum_t for each tag, by the tag's id; with that block too */
  dmd_freed_t freed;
  void (*gone)(void *ctx, const dmd_block_t *block, uint32_t stack); /* or NULL */
  void *gone_ctx;
};

dmd_blocks_t *dmd_blocks_create(const dmd_env_t *env, dmd_slabs_t *slabs, uint32_t max_freed) {
  dmd_blocks_t *blocks = dmd_env_alloc(env, "dmd.blocks", sizeof *blocks);
  dmd_mem_zero(blocks, sizeof *blocks);
  blocks->env = env;
  dmd_heap_init(&blocks->heap, env, slabs);
  dmd_pool_init(&blocks->tag_sums, env, "dmd.blocks.tag_sums", sizeof(dmd_tag_sum_t));
  dmd_freed_init(&blocks->freed, env, max_freed);
  return blocks;
}

void dmd_blocks_destroy(dmd_blocks_t *blocks) {
  dmd_freed_destroy(&blocks->freed);
  dmd_pool_destroy(&blocks->tag_sums);
  dmd_heap_destroy(&blocks->heap);
  dmd_env_free(blocks->env, blocks);
}

/* ---- Counting. ---- */

static dmd_tag_sum_t *sum_of_tag(const dmd_blocks_t *blocks, uint32_t tag) {
  return DMD_POOL_AT(&blocks->tag_sums, dmd_tag_sum_t, tag);
}

/* Adds to what the tag's blocks amount to, or takes from it. */
static void count_tag(dmd_blocks_t *blocks, const dmd_block_t *block, int by) {
  dmd_pool_reach(&blocks->tag_sums, block->tag);
  sum_of_tag(blocks, block->tag)->usable += dmd_block_usable(block) * (uint64_t)by;
  sum_of_tag(blocks, block->tag)->n_blocks += (uint64_t)by;
}

static void count_new(dmd_blocks_t *blocks, const dmd_block_t *block) {
  blocks->totals.n_allocs++;
  blocks->totals.alloc_szB += block->req;
  blocks->totals.in_use_szB += block->req;
  if (block->tag != DMD_NONE)
    count_tag(blocks, block, 1);
}

/* The block goes away or starts anew, at this stack. */
static void count_old(dmd_blocks_t *blocks, const dmd_block_t *block, uint32_t stack) {
  blocks->totals.in_use_szB -= block->req;
  if (block->tag != DMD_NONE)
    count_tag(blocks, block, -1);
  if (block->reports == DMD_NONE)
    return;
  blocks->totals.freed_reported++;
  if (blocks->gone != NULL)
    blocks->gone(blocks->gone_ctx, block, stack);
}

/* Does what the removal of the last block left to do. */
void dmd_blocks_settle(dmd_blocks_t *blocks) {
  leaving_t *leaving = &blocks->leaving;
  const dmd_block_t *block = leaving->removed.block;
  if (block == NULL)
    return;
  count_old(blocks, block, leaving->stack);
  dmd_freed_add(&blocks->freed, &(dmd_freed_block_t){.addr = leaving->addr,
                                                     .usable = dmd_block_usable(block),
                                                     .allocated = block->stack,
                                                     .freed = leaving->stack});
  dmd_heap_release(&blocks->heap, &leaving->removed);
  leaving->removed.block = NULL;
}

/* ---- Blocks come, change and go. ---- */

static const dmd_block_t *fill(dmd_blocks_t *blocks, dmd_block_t *block,
                               const dmd_new_block_t *from, uint32_t tag) {
  block->req = from->req;
  block->slop = (uint32_t)(from->usable - from->req);
  block->stack = from->stack;
  block->reports = DMD_NONE;
  block->tag = (uint16_t)tag;
  block->thread = dmd_thread_number(from->thread);
  count_new(blocks, block);
  dmd_heap_note_size(&blocks->heap, block);
  return block;
}

const dmd_block_t *dmd_blocks_add(dmd_blocks_t *blocks, const dmd_new_block_t *new_block,
                                  uint32_t tag) {
  dmd_block_t *block = dmd_heap_add(&blocks->heap, new_block->addr, new_block->flags);
  return fill(blocks, block, new_block, tag);
}

dmd_remove_t dmd_blocks_remove(dmd_blocks_t *blocks, uint64_t addr, uint32_t stack) {
  dmd_removed_t *removed = &blocks->leaving.removed;
  dmd_blocks_settle(blocks);
  blocks->totals.n_frees++;
  if (!dmd_heap_remove(&blocks->heap, addr, removed))
    return DMD_REMOVE_FAILED;
  blocks->leaving.addr = addr;
  blocks->leaving.stack = stack;
  if (removed->stays)
    return DMD_REMOVE_DONE;
  bool is_ours = removed->memory.slab != NULL || (removed->block->flags & DMD_BLOCK_ANNOUNCED);
  dmd_blocks_settle(blocks);
  return is_ours ? DMD_REMOVE_DONE : DMD_REMOVE_MEMORY;
}

void dmd_blocks_remove_announced(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                 uint32_t stack) {
  dmd_blocks_settle(blocks);
  blocks->totals.n_frees++;
  dmd_heap_remove_announced(&blocks->heap, addr, block, &blocks->leaving.removed);
  blocks->leaving.addr = addr;
  blocks->leaving.stack = stack;
  dmd_blocks_settle(blocks);
}

dmd_block_t *dmd_blocks_move_announced(dmd_blocks_t *blocks, uint64_t addr, dmd_block_t *block,
                                       uint64_t to, uint64_t req) {
  dmd_block_t *moved = dmd_heap_move_announced(&blocks->heap, addr, block, to);
  dmd_blocks_resize_announced(blocks, moved, req);
  return moved;
}

const dmd_block_t *dmd_blocks_renew(dmd_blocks_t *blocks, const dmd_new_block_t *now,
                                    uint32_t tag) {
  dmd_block_t *block = dmd_blocks_find_freeable(blocks, now->addr);
  blocks->totals.n_frees++;
  count_old(blocks, block, now->stack);
  block->flags = now->flags & DMD_BLOCK_FLAGS;
  return fill(blocks, block, now, tag);
}

void dmd_blocks_resize_announced(dmd_blocks_t *blocks, dmd_block_t *block, uint64_t req) {
  blocks->totals.in_use_szB += req - block->req;
  if (block->tag != DMD_NONE)
    sum_of_tag(blocks, block->tag)->usable += req - dmd_block_usable(block);
  block->req = req;
  block->slop = 0;
  dmd_heap_note_size(&blocks->heap, block);
}

void dmd_blocks_count_failed_realloc(dmd_blocks_t *blocks, uint64_t req) {
  blocks->totals.n_allocs++;
  blocks->totals.n_frees++;
  blocks->totals.alloc_szB += req;
}

/* ---- Who is there. ---- */

/* Does not settle, since a program that asks for a size would wait for the free before. If the heap
 * finds the block that leaves, there is no other at its address. */
dmd_block_t *dmd_blocks_find(const dmd_blocks_t *blocks, uint64_t addr) {
  dmd_block_t *block = dmd_heap_find(&blocks->heap, addr);
  return block == blocks->leaving.removed.block ? NULL : block;
}

dmd_block_t *dmd_blocks_find_older(const dmd_blocks_t *blocks, uint64_t addr,
                                   const dmd_block_t *block) {
  dmd_block_t *older = dmd_heap_find_older(&blocks->heap, addr, block);
  return older == blocks->leaving.removed.block ? NULL : older;
}

dmd_block_t *dmd_blocks_find_freeable(const dmd_blocks_t *blocks, uint64_t addr) {
  dmd_block_t *block = dmd_blocks_find(blocks, addr);
  while (block != NULL && (block->flags & DMD_BLOCK_POOLED))
    block = dmd_blocks_find_older(blocks, addr, block);
  return block;
}

dmd_block_t *dmd_blocks_find_announced(const dmd_blocks_t *blocks, uint64_t from, uint64_t end,
                                       uint64_t *start) {
  return dmd_heap_find_announced(&blocks->heap, from, end, start);
}

bool dmd_blocks_may_nest(const dmd_blocks_t *blocks) {
  return blocks->heap.may_nest;
}

dmd_block_t *dmd_blocks_find_containing(dmd_blocks_t *blocks, uint64_t addr, uint64_t *start) {
  dmd_blocks_settle(blocks);
  return dmd_heap_find_containing(&blocks->heap, addr, start);
}

void dmd_blocks_watch_reported(dmd_blocks_t *blocks,
                               void (*gone)(void *ctx, const dmd_block_t *block, uint32_t stack),
                               void *ctx) {
  blocks->gone = gone;
  blocks->gone_ctx = ctx;
}

void dmd_blocks_walk(dmd_blocks_t *blocks,
                     void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx) {
  dmd_blocks_settle(blocks);
  dmd_heap_walk(&blocks->heap, visit, ctx);
}

const dmd_freed_block_t *dmd_blocks_find_freed(dmd_blocks_t *blocks, uint64_t addr) {
  dmd_blocks_settle(blocks);
  return dmd_freed_find(&blocks->freed, addr);
}

/* ---- What they amount to. ---- */

dmd_totals_t dmd_blocks_totals(dmd_blocks_t *blocks) {
  dmd_blocks_settle(blocks);
  dmd_totals_t totals = blocks->totals;
  totals.n_blocks = blocks->heap.n_blocks;
  return totals;
}

dmd_tag_sum_t dmd_blocks_tag_sum(dmd_blocks_t *blocks, uint32_t tag) {
  dmd_blocks_settle(blocks);
  if (tag == DMD_NONE || tag > blocks->tag_sums.last)
    return (dmd_tag_sum_t){0};
  return *sum_of_tag(blocks, tag);
}

void dmd_blocks_clear_freed_reported(dmd_blocks_t *blocks) {
  dmd_blocks_settle(blocks);
  blocks->totals.freed_reported = 0;
}
