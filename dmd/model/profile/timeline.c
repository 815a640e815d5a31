/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/timeline.h"

void dmd_timeline_init(dmd_timeline_t *timeline, const dmd_env_t *env) {
  *timeline = (dmd_timeline_t){.spacing_ms = 1};
  dmd_pool_init(&timeline->points, env, "dmd.timeline", sizeof(dmd_timepoint_t));
  dmd_pool_init(&timeline->marks, env, "dmd.timeline", sizeof(dmd_timemark_t));
}

void dmd_timeline_destroy(dmd_timeline_t *timeline) {
  dmd_pool_destroy(&timeline->marks);
  dmd_pool_destroy(&timeline->points);
}

void dmd_timeline_clear(dmd_timeline_t *timeline) {
  dmd_pool_rewind(&timeline->marks);
  dmd_pool_rewind(&timeline->points);
}

void dmd_timeline_add_point(dmd_timeline_t *timeline, const dmd_timepoint_t *point) {
  *dmd_timeline_point(timeline, dmd_pool_add(&timeline->points)) = *point;
}

void dmd_timeline_add_mark(dmd_timeline_t *timeline, const dmd_timemark_t *mark) {
  *dmd_timeline_mark(timeline, dmd_pool_add(&timeline->marks)) = *mark;
}
