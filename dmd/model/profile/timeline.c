/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/timeline.h"

#include "base/mem.h"

void dmd_timeline_init(dmd_timeline_t *timeline, const dmd_env_t *env) {
  *timeline = (dmd_timeline_t){.spacing_ms = 1};
  dmd_pool_init(&timeline->points, env, "dmd.timeline", sizeof(dmd_timepoint_t));
  dmd_pool_init(&timeline->marks, env, "dmd.timeline", sizeof(dmd_timemark_t));
  dmd_pool_init(&timeline->stacks, env, "dmd.timeline", sizeof(uint32_t));
  dmd_pool_init(&timeline->tags, env, "dmd.timeline", sizeof(uint32_t));
}

void dmd_timeline_destroy(dmd_timeline_t *timeline) {
  dmd_env_free(timeline->points.env, timeline->breakdowns);
  dmd_pool_destroy(&timeline->tags);
  dmd_pool_destroy(&timeline->stacks);
  dmd_pool_destroy(&timeline->marks);
  dmd_pool_destroy(&timeline->points);
}

void dmd_timeline_add_point(dmd_timeline_t *timeline, const dmd_timepoint_t *point) {
  *dmd_timeline_point(timeline, dmd_pool_add(&timeline->points)) = *point;
}

void dmd_timeline_add_mark(dmd_timeline_t *timeline, const dmd_timemark_t *mark) {
  *dmd_timeline_mark(timeline, dmd_pool_add(&timeline->marks)) = *mark;
}

void dmd_timeline_add_stack(dmd_timeline_t *timeline, uint32_t stack) {
  uint32_t id = dmd_pool_add(&timeline->stacks);
  *DMD_POOL_AT(&timeline->stacks, uint32_t, id) = stack;
}

void dmd_timeline_add_tag(dmd_timeline_t *timeline, uint32_t tag) {
  uint32_t id = dmd_pool_add(&timeline->tags);
  *DMD_POOL_AT(&timeline->tags, uint32_t, id) = tag;
}

dmd_breakdown_t *dmd_timeline_add_breakdown(dmd_timeline_t *timeline, const dmd_timepoint_t *at) {
  const dmd_env_t *env = timeline->points.env;
  if (timeline->breakdowns == NULL)
    timeline->breakdowns =
        dmd_env_alloc(env, "dmd.timeline", (DMD_MAX_BREAKDOWNS + 1) * sizeof *timeline->breakdowns);
  dmd_breakdown_t *breakdown = &timeline->breakdowns[timeline->n_breakdowns++];
  dmd_mem_zero(breakdown, sizeof *breakdown);
  breakdown->at = *at;
  return breakdown;
}

/* The stacks after `from` move up. */
static void join(dmd_timeline_t *timeline, uint32_t into, uint32_t from) {
  uint32_t n_after = --timeline->stacks.last - from;
  for (uint32_t k = from; k < from + n_after; k++)
    *dmd_timeline_stack(timeline, k) = *dmd_timeline_stack(timeline, k + 1);
  for (uint32_t i = 0; i < timeline->n_breakdowns; i++) {
    uint64_t *stacks = timeline->breakdowns[i].stacks;
    stacks[into] += stacks[from];
    for (uint32_t k = from; k < from + n_after; k++)
      stacks[k] = stacks[k + 1];
    stacks[from + n_after] = 0;
  }
}

void dmd_timeline_join_stacks(dmd_timeline_t *timeline) {
  for (uint32_t i = 0; i < timeline->stacks.last; i++)
    for (uint32_t k = i + 1; k < timeline->stacks.last;)
      if (*dmd_timeline_stack(timeline, i) == *dmd_timeline_stack(timeline, k))
        join(timeline, i, k);
      else
        k++;
}
