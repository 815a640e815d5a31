/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/interleave.h"

#include "base/limits.h"
#include "base/mem.h"

/* Called when a reported block is freed or reallocated. */
static void lose_reported(void *ctx, const dmd_block_t *block, uint32_t stack) {
  dmd_live_t *live = ctx;
  bool kept = dmd_reports_clear(&live->reports, block->reports) != DMD_NONE;
  dmd_counters_lose(&live->counters, block, stack);
  dmd_lastreports_note_gone(&live->last_time, stack, block->reports, kept);
}

void dmd_live_init(dmd_live_t *live, const dmd_env_t *env, const dmd_live_config_t *config) {
  dmd_mem_zero(live, sizeof *live);
  live->env = env;
  live->generation = 1;
  live->config = *config;
  live->blocks = dmd_blocks_create(
      env, &(dmd_blocks_config_t){.slabs = config->slabs,
                                  .max_freed = config->freed_blocks,
                                  .n_shards = config->n_shards,
                                  .waiting = config->waiting,
                                  .sample_interval = config->sample_interval,
                                  .records_peak =
                                      config->records_peak && config->mode != DMD_MODE_CUMULATIVE,
                                  .records_timeline = config->records_timeline,
                                  .records_lifetimes = config->records_lifetimes,
                                  .clock = config->clock,
                                  .instructions = config->instructions,
                                  .resident = config->resident,
                                  .dump_every_ms = config->dump_every_ms,
                                  .dump_every_szB = config->dump_every_szB,
                                  .dump_above_szB = config->dump_above_szB,
                                  .used = config->used,
                                  .dumps_at_peak = config->dumps_at_peak});
  live->bloom = dmd_blocks_bloom(live->blocks);
  dmd_sampler_init(&live->sampler, config->partial_stacks, config->sample_below, config->seed);
  dmd_reports_init(&live->reports, env);
  dmd_intern_init(&live->reporter_names, env, "dmd.live.reporters");
  dmd_intern_init(&live->tag_names, env, "dmd.live.tags");
  dmd_scopes_init(&live->reporters, env);
  dmd_scopes_init(&live->tags, env);
  dmd_claims_init(&live->claims, env);
  dmd_counters_init(&live->counters, env, &live->reports);
  dmd_blocks_watch_reported(live->blocks, lose_reported, live);
  dmd_faults_init(&live->faults, env);
  dmd_memreports_init(&live->memreports, env);
  dmd_regions_init(&live->regions, env);
  dmd_lastreports_init(&live->last_time, env);
  dmd_groups_init(&live->history, env);
  live->measured = dmd_env_alloc(env, "dmd.live.measured", sizeof *live->measured);
  dmd_stacks_init(live->measured, env);
}

void dmd_live_destroy(dmd_live_t *live) {
  dmd_stacks_destroy(live->measured);
  dmd_env_free(live->env, live->measured);
  dmd_groups_destroy(&live->history);
  dmd_lastreports_destroy(&live->last_time);
  dmd_regions_destroy(&live->regions);
  dmd_memreports_destroy(&live->memreports);
  dmd_faults_destroy(&live->faults);
  dmd_counters_destroy(&live->counters);
  dmd_claims_destroy(&live->claims);
  dmd_scopes_destroy(&live->tags);
  dmd_scopes_destroy(&live->reporters);
  dmd_intern_destroy(&live->tag_names);
  dmd_intern_destroy(&live->reporter_names);
  dmd_reports_destroy(&live->reports);
  dmd_blocks_destroy(live->blocks);
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

dmd_plan_t dmd_live_plan_by(const dmd_live_t *live, dmd_sampler_t *sampler, uint64_t usable) {
  static const uint32_t flags[] = {
      [DMD_SAMPLE_PASSED] = DMD_BLOCK_UNSAMPLED,
      [DMD_SAMPLE_STANDS] = DMD_BLOCK_SAMPLED,
      [DMD_SAMPLE_STANDS_TWICE] = DMD_BLOCK_SAMPLED | DMD_BLOCK_TWICE,
      [DMD_SAMPLE_EXACT] = 0,
  };
  dmd_plan_t plan = {.flags = flags[dmd_sampler_block(sampler, usable)]};
  if (plan.flags & DMD_BLOCK_SAMPLED)
    usable = live->config.sample_below;
  if (!(plan.flags & DMD_BLOCK_UNSAMPLED))
    plan.stack = dmd_sampler_stack(sampler, usable);
  return plan;
}

dmd_plan_t dmd_live_plan(dmd_live_t *live, uint64_t usable) {
  return dmd_live_plan_by(live, &live->sampler, usable);
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
                       .sampled = sampled || live->config.sample_interval > 0};
}

/* In cumulative mode, adds the block to the groups that remain after it is gone. */
static void remember(dmd_live_t *live, const dmd_block_t *block) {
  if (live->config.mode != DMD_MODE_CUMULATIVE || (block->flags & DMD_BLOCK_UNSAMPLED))
    return;
  dmd_group_t key = dmd_live_group_of(live, block);
  dmd_groups_add(&live->history, &key);
}

static uint32_t tag_of(dmd_live_t *live, const dmd_new_block_t *new_block) {
  uint32_t tag = dmd_live_name_at(live, &live->tags, new_block->thread, new_block->stack);
  return tag == DMD_NONE ? new_block->tag : tag;
}

void dmd_live_add(dmd_live_t *live, const dmd_new_block_t *new_block) {
  remember(live, dmd_blocks_add(live->blocks, new_block, tag_of(live, new_block)));
}

void dmd_live_end_move(dmd_live_t *live, uint64_t addr, dmd_block_t *block,
                       const dmd_new_block_t *now) {
  uint32_t tag = tag_of(live, now);
  remember(live, dmd_blocks_end_move(live->blocks, addr, block, now, tag));
}

/* Adjusts counters for a reported block whose size changed. */
static void recount(dmd_live_t *live, const dmd_block_t *block, uint64_t before) {
  dmd_counters_change(&live->counters, before, block->reports, DMD_NONE);
  dmd_counters_change(&live->counters, dmd_block_usable(block), DMD_NONE, block->reports);
}

void dmd_live_resize_announced(dmd_live_t *live, uint64_t addr, uint64_t req) {
  dmd_block_t *block = dmd_blocks_find_freeable(live->blocks, addr);
  uint64_t before = dmd_block_usable(block);
  dmd_blocks_resize_announced(live->blocks, addr, block, req);
  recount(live, block, before);
}

dmd_block_t *dmd_live_move_announced(dmd_live_t *live, uint64_t addr, dmd_block_t *block,
                                     uint64_t to, uint64_t req) {
  uint64_t before = dmd_block_usable(block);
  dmd_block_t *moved = dmd_blocks_move_announced(live->blocks, addr, block, to, req);
  recount(live, moved, before);
  return moved;
}

void dmd_live_resize(dmd_live_t *live, const dmd_new_block_t *now) {
  remember(live, dmd_blocks_renew(live->blocks, now, tag_of(live, now)));
}
