/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/fastpath.h"

/* Invalidates the copies of other threads if they may be wrong. */
static void note_changes(dmd_live_t *live) {
  uint64_t changes = live->tags.n_moved * 2 + (live->tags.n_in_coroutines > 0);
  if (changes == live->noted_changes)
    return;
  live->noted_changes = changes;
  uint32_t next = live->generation + 1;
  __atomic_store_n(&live->generation, next == 0 ? 1 : next, __ATOMIC_RELEASE);
}

void dmd_live_refresh(dmd_live_t *live, uint32_t thread, dmd_fastpath_t *fastpath) {
  const dmd_live_config_t *config = &live->config;
  note_changes(live);
  fastpath->has_claim = dmd_live_claim(live, thread, 0) != DMD_NONE;
  fastpath->generation = 0;
  fastpath->not_newest = 0;
  if (config->no_fast_path || config->mode == DMD_MODE_CUMULATIVE ||
      dmd_scopes_any_free(&live->tags, thread))
    return;
  fastpath->generation = live->generation;
  fastpath->tag = dmd_scopes_top(&live->tags, thread);
  fastpath->tag_limit = dmd_live_tag_limit(live, thread);
  if (fastpath->samples)
    return;
  dmd_sampler_init(&fastpath->sampler, config->partial_stacks, config->sample_below,
                   config->seed + thread);
  fastpath->is_exact = dmd_live_wants_all_stacks(live);
  fastpath->samples = true;
}

dmd_plan_t dmd_live_fast_plan(const dmd_live_t *live, dmd_fastpath_t *fastpath, uint64_t usable) {
  return dmd_live_plan_by(live, &fastpath->sampler, usable);
}
