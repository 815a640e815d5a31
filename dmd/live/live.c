/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/live.h"

#include "base/mem.h"

void dmd_live_init(dmd_live_t *live, const dmd_env_t *env, const dmd_live_config_t *config) {
  dmd_mem_zero(live, sizeof *live);
  live->env = env;
  live->config = *config;
  dmd_heap_init(&live->heap, env);
  dmd_stacks_init(&live->stacks, env);
  dmd_sampler_init(&live->sampler, config->partial_stacks, config->sample_below, config->seed);
  dmd_reports_init(&live->reports, env);
  dmd_intern_init(&live->reporter_names, env, "dmd.live.reporters");
  dmd_intern_init(&live->tag_names, env, "dmd.live.tags");
  dmd_pool_init(&live->tag_sums, env, "dmd.live.tag_sums", sizeof(dmd_tag_sum_t));
  dmd_scopes_init(&live->reporters, env);
  dmd_scopes_init(&live->tags, env);
  dmd_claims_init(&live->claims, env);
  dmd_freed_init(&live->freed, env, config->freed_blocks);
  dmd_faults_init(&live->faults, env);
  dmd_memreports_init(&live->memreports, env);
  dmd_pool_init(&live->ended, env, "dmd.live.ended", sizeof(uint64_t));
  dmd_groups_init(&live->history, env);
}

void dmd_live_destroy(dmd_live_t *live) {
  dmd_groups_destroy(&live->history);
  dmd_pool_destroy(&live->ended);
  dmd_memreports_destroy(&live->memreports);
  dmd_faults_destroy(&live->faults);
  dmd_freed_destroy(&live->freed);
  dmd_claims_destroy(&live->claims);
  dmd_scopes_destroy(&live->tags);
  dmd_scopes_destroy(&live->reporters);
  dmd_pool_destroy(&live->tag_sums);
  dmd_intern_destroy(&live->tag_names);
  dmd_intern_destroy(&live->reporter_names);
  dmd_reports_destroy(&live->reports);
  dmd_stacks_destroy(&live->stacks);
  dmd_heap_destroy(&live->heap);
}

/* ---- Blocks. ---- */

static uint64_t limit_slop(uint64_t req, uint64_t usable) {
  return usable - req > UINT32_MAX ? req + UINT32_MAX : usable;
}

uint64_t dmd_live_usable(const dmd_live_t *live, uint64_t req, uint64_t align) {
  const dmd_live_config_t *c = &live->config;
  return limit_slop(req, dmd_allocator_usable(c->allocator, c->word_szB, req, align));
}

uint64_t dmd_live_resized(const dmd_live_t *live, uint64_t old_usable, uint64_t req) {
  const dmd_live_config_t *c = &live->config;
  return limit_slop(req, dmd_allocator_resized(c->allocator, c->word_szB, old_usable, req));
}

dmd_plan_t dmd_live_plan(dmd_live_t *live, uint64_t usable) {
  static const uint32_t flags[] = {
      [DMD_SAMPLE_PASSED] = DMD_BLOCK_UNSAMPLED,
      [DMD_SAMPLE_STANDS] = DMD_BLOCK_SAMPLED,
      [DMD_SAMPLE_STANDS_TWICE] = DMD_BLOCK_SAMPLED | DMD_BLOCK_TWICE,
      [DMD_SAMPLE_EXACT] = 0,
  };
  dmd_plan_t plan = {.flags = flags[dmd_sampler_block(&live->sampler, usable)]};
  if (plan.flags & DMD_BLOCK_SAMPLED)
    usable = live->config.sample_below;
  if (!(plan.flags & DMD_BLOCK_UNSAMPLED))
    plan.stack = dmd_sampler_stack(&live->sampler, usable);
  return plan;
}

dmd_group_t dmd_live_group_of(const dmd_live_t *live, const dmd_block_t *block) {
  bool sampled = block->flags & DMD_BLOCK_SAMPLED;
  return (dmd_group_t){.req = sampled ? live->config.sample_below : block->req,
                       .slop = sampled ? 0 : block->slop,
                       .num = block->flags & DMD_BLOCK_TWICE ? 2 : 1,
                       .stack = block->stack,
                       .reports = block->reports,
                       .tag = block->tag,
                       .thread = block->thread & DMD_MAX_THREAD,
                       .sampled = sampled};
}

/* Cumulative mode remembers the block in a group, for the time after it is gone. */
static void remember(dmd_live_t *live, const dmd_block_t *block) {
  if (live->config.mode != DMD_MODE_CUMULATIVE || (block->flags & DMD_BLOCK_UNSAMPLED))
    return;
  dmd_group_t key = dmd_live_group_of(live, block);
  dmd_groups_add(&live->history, &key);
}

static dmd_tag_sum_t *sum_of_tag(const dmd_live_t *live, uint32_t tag) {
  return DMD_POOL_AT(&live->tag_sums, dmd_tag_sum_t, tag);
}

static void fill(dmd_live_t *live, dmd_block_t *block, const dmd_new_block_t *from) {
  block->flags = from->flags & DMD_BLOCK_FLAGS;
  block->req = from->req;
  block->slop = (uint32_t)(from->usable - from->req);
  block->stack = from->stack;
  block->reports = DMD_NONE;
  uint32_t tag = dmd_scopes_top(&live->tags, from->thread);
  block->tag = (uint16_t)(tag == DMD_NONE ? from->tag : tag);
  block->thread = (uint16_t)(from->thread > DMD_MAX_THREAD ? DMD_MAX_THREAD : from->thread);
  live->n_allocs++;
  live->alloc_szB += from->req;
  live->in_use_szB += from->req;
  if (block->tag != DMD_NONE) {
    sum_of_tag(live, block->tag)->usable += from->usable;
    sum_of_tag(live, block->tag)->n_blocks++;
  }
  dmd_heap_note_size(&live->heap, block);
  remember(live, block);
}

void dmd_live_add(dmd_live_t *live, const dmd_new_block_t *new_block) {
  fill(live, dmd_heap_add(&live->heap, new_block->addr, new_block->flags), new_block);
}

/* Counts a block that goes away or starts anew. */
static void retire(dmd_live_t *live, const dmd_block_t *block) {
  live->in_use_szB -= block->req;
  if (block->tag != DMD_NONE) {
    sum_of_tag(live, block->tag)->usable -= dmd_block_usable(block);
    sum_of_tag(live, block->tag)->n_blocks--;
  }
  if (block->reports != DMD_NONE)
    live->freed_reported++;
}

void dmd_live_settle(dmd_live_t *live) {
  const dmd_leaving_t *leaving = &live->leaving;
  const dmd_block_t *block = live->heap.removed.block;
  if (block == NULL)
    return;
  retire(live, block);
  dmd_freed_add(&live->freed, &(dmd_freed_block_t){.addr = leaving->addr,
                                                   .usable = dmd_block_usable(block),
                                                   .allocated = block->stack,
                                                   .freed = leaving->stack});
  dmd_heap_release(&live->heap);
}

dmd_remove_t dmd_live_remove(dmd_live_t *live, uint64_t addr, uint32_t stack) {
  dmd_live_settle(live);
  live->n_frees++;
  if (!dmd_heap_remove(&live->heap, addr))
    return DMD_REMOVE_FAILED;
  live->leaving = (dmd_leaving_t){.addr = addr, .stack = stack};
  const dmd_removed_t *removed = &live->heap.removed;
  if (removed->stays)
    return DMD_REMOVE_DONE;
  bool is_ours = removed->memory.slab != NULL || (removed->block->flags & DMD_BLOCK_ANNOUNCED);
  dmd_live_settle(live);
  return is_ours ? DMD_REMOVE_DONE : DMD_REMOVE_MEMORY;
}

void dmd_live_resize(dmd_live_t *live, const dmd_new_block_t *now) {
  dmd_block_t *block = dmd_heap_find(&live->heap, now->addr);
  live->n_frees++;
  retire(live, block);
  fill(live, block, now);
}

void dmd_live_resize_announced(dmd_live_t *live, dmd_block_t *block, uint64_t req) {
  live->in_use_szB += req - block->req;
  if (block->tag != DMD_NONE)
    sum_of_tag(live, block->tag)->usable += req - dmd_block_usable(block);
  block->req = req;
  block->slop = 0;
  dmd_heap_note_size(&live->heap, block);
}

void dmd_live_count_failed_realloc(dmd_live_t *live, uint64_t req) {
  live->n_allocs++;
  live->n_frees++;
  live->alloc_szB += req;
}

uint64_t dmd_live_usable_at(const dmd_live_t *live, uint64_t addr) {
  const dmd_block_t *block = dmd_heap_find(&live->heap, addr);
  return block == NULL ? 0 : dmd_block_usable(block);
}
