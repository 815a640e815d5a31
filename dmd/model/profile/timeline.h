/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * timeline.h: the heap over time: its size at some points, and the program's marks.
 *
 * Points are in ascending order of time, at most one for each `spacing_ms` milliseconds; of the
 * sizes that were seen in this time a point is the largest. Where nothing was allocated there is
 * none. The last point is the dump, exactly. A mark has the figures of its own moment. Blocks that
 * the program announced do not count.
 *
 * If the program's instructions were counted, they are the axis: moments have them, too, and are
 * compared by them (dmd_timeline_place).
 *
 * A breakdown is the heap at one moment, exactly, by the largest stacks and tags: the same ones for
 * all breakdowns. What else there was belongs to other stacks, or has no stack. Breakdowns are in
 * ascending order of time; the last one is the dump.
 */
#ifndef DMD_MODEL_PROFILE_TIMELINE_H
#define DMD_MODEL_PROFILE_TIMELINE_H

#include "base/limits.h"
#include "base/pool.h"

typedef struct dmd_timepoint {
  uint64_t ms;             /* after the program's start */
  uint64_t n_instructions; /* by then; 0: not counted */
  uint64_t szB, n_blocks;  /* live; requested bytes */
  uint64_t alloc_szB;      /* requested bytes allocated by then */
  uint64_t resident_szB;   /* in physical memory; DMD_MEMORY_UNKNOWN: unknown */
  uint64_t least_szB;      /* of a point: the smallest heap seen since the last one; else szB */
} dmd_timepoint_t;

typedef struct dmd_timemark {
  dmd_timepoint_t at;
  uint32_t text; /* a name of the profile, as the program gave it */
  uint64_t dump; /* the mark is this dump, and text its label or DMD_NONE; 0: the program's */
} dmd_timemark_t;

typedef struct dmd_breakdown {
  dmd_timepoint_t at;
  uint64_t stacks[DMD_MAX_TIMESTACKS],
      tags[DMD_MAX_TIMETAGS]; /* live bytes, in the timeline's order */
} dmd_breakdown_t;

typedef struct dmd_timeline {
  dmd_pool_t points;           /* dmd_timepoint_t; empty: no timeline */
  dmd_pool_t marks;            /* dmd_timemark_t */
  dmd_pool_t stacks, tags;     /* uint32_t: ids of the profile, each once; largest first */
  dmd_breakdown_t *breakdowns; /* room for DMD_MAX_BREAKDOWNS + 1; NULL: none */
  uint32_t n_breakdowns;
  uint64_t spacing_ms; /* at least 1 */
  bool counts_instructions;
  bool is_forked; /* it begins with a fork, not with the program */
} dmd_timeline_t;

void dmd_timeline_init(dmd_timeline_t *timeline, const dmd_env_t *env);
void dmd_timeline_destroy(dmd_timeline_t *timeline);

static inline bool dmd_timeline_is_known(const dmd_timeline_t *timeline) {
  return timeline->points.last > 0;
}

static inline dmd_timepoint_t *dmd_timeline_point(const dmd_timeline_t *timeline, uint32_t id) {
  return DMD_POOL_AT(&timeline->points, dmd_timepoint_t, id);
}

static inline dmd_timemark_t *dmd_timeline_mark(const dmd_timeline_t *timeline, uint32_t id) {
  return DMD_POOL_AT(&timeline->marks, dmd_timemark_t, id);
}

static inline uint32_t *dmd_timeline_stack(const dmd_timeline_t *timeline, uint32_t i) {
  return DMD_POOL_AT(&timeline->stacks, uint32_t, i + 1);
}

static inline uint32_t *dmd_timeline_tag(const dmd_timeline_t *timeline, uint32_t i) {
  return DMD_POOL_AT(&timeline->tags, uint32_t, i + 1);
}

/* Where a moment is on the axis: instructions or milliseconds. */
static inline uint64_t dmd_timeline_place(const dmd_timeline_t *timeline,
                                          const dmd_timepoint_t *at) {
  return timeline->counts_instructions ? at->n_instructions : at->ms;
}

/* Adds a stack or a tag, the amounts of which are 0 so far. */
void dmd_timeline_add_stack(dmd_timeline_t *timeline, uint32_t stack);
void dmd_timeline_add_tag(dmd_timeline_t *timeline, uint32_t tag);

/* Adds a breakdown without amounts. */
dmd_breakdown_t *dmd_timeline_add_breakdown(dmd_timeline_t *timeline, const dmd_timepoint_t *at);

/* Stacks that have become equal become one, which has the bytes of all. */
void dmd_timeline_join_stacks(dmd_timeline_t *timeline);

void dmd_timeline_add_point(dmd_timeline_t *timeline, const dmd_timepoint_t *point);
void dmd_timeline_add_mark(dmd_timeline_t *timeline, const dmd_timemark_t *mark);

#endif
