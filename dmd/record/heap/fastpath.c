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

void dmd_live_refresh(dmd_live_t *live, uint32_t thread, dmd_fastpath_t *quick) {
  const dmd_live_config_t *config = &live->config;
  note_changes(live);
  quick->has_claim = dmd_live_claim(live, thread, 0) != DMD_NONE;
  quick->generation = 0;
  quick->not_newest = 0;
  if (config->never_quick || config->mode == DMD_MODE_CUMULATIVE ||
      dmd_scopes_any_free(&live->tags, thread))
    return;
  quick->generation = live->generation;
  quick->tag = dmd_scopes_top(&live->tags, thread);
  quick->tag_limit = dmd_live_tag_limit(live, thread);
  if (quick->samples)
    return;
  dmd_sampler_init(&quick->sampler, config->partial_stacks, config->sample_below,
                   config->seed + thread);
  quick->is_exact = dmd_live_wants_all_stacks(live);
  quick->samples = true;
}

dmd_plan_t dmd_live_quick_plan(const dmd_live_t *live, dmd_fastpath_t *quick, uint64_t usable) {
  return dmd_live_plan_by(live, &quick->sampler, usable);
}
