/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * history.h: the metrics of a program's builds in memory, with their change points and the contents
 * of each stack in each build.
 *
 *   texts    names of builds, series, moments, branches, environments
 *   builds   sorted by branch, then by time
 *   curves   a series at one moment, in one environment, on one branch; its points are contiguous
 *   points   a build with its runs, whose values are contiguous
 *   alarms   the change points of the curves (analyse/history/changepoints.h), grouped by event;
 * the records that changed most stacks   sorted by the number that the creator of the sets gave
 * them; frames innermost first sets     record sets (analyse/history/stackset.h), mostly as a
 * difference from another one kept     which build, moment and environment each set belongs to;
 * comparable ones (dmd_kept_t.before) are in the order of their builds
 *
 * All ids count from 1, and DMD_NONE means none. A history is filled by dmdv, from a database, or
 * by the reader of a bundle (files/bundle/bundlehistory.h), which verifies what the functions here
 * rely on: ids are valid; a curve has at least one point, and its builds ascend; a change point is
 * within its curve; values are at most DMD_MAX_SIZE, levels are below that; a set is based on an
 * earlier one, and chains are short.
 */
#ifndef DMD_ANALYSE_HISTORY_HISTORY_H
#define DMD_ANALYSE_HISTORY_HISTORY_H

#include "analyse/history/changepoints.h"
#include "analyse/history/stackset.h"
#include "base/intern.h"
#include "model/profile/profile.h"

enum { DMD_HISTORY_CHAIN = 64 /* maximum number of sets in a chain */ };

typedef struct dmd_history_build {
  uint32_t name, branch; /* in texts */
  int64_t time;          /* in seconds since 1970 */
} dmd_history_build_t;

typedef struct dmd_history_curve {
  dmd_metric_kind_t kind;
  uint32_t name, moment, environment, branch; /* in texts; the name begins with the kind */
  uint32_t first, n;                          /* range of points */
} dmd_history_curve_t;

typedef struct dmd_history_point {
  uint32_t build;
  uint32_t first, n; /* range of values */
} dmd_history_point_t;

typedef struct dmd_history_alarm {
  uint32_t curve;
  dmd_changepoint_t step;
  dmd_alarm_state_t state;
  uint32_t reason, fixed_build; /* in texts */
  uint32_t next; /* the build or commit to test next, in texts; DMD_NONE: nothing left to test */
  uint64_t n_commits; /* candidate commits; 0: the next is a build */
  uint32_t first, n;  /* range of changed records */
} dmd_history_alarm_t;

/* A record that changed along with an alarm. */
typedef struct dmd_history_changed {
  uint32_t frames; /* in texts: one frame per line */
  int64_t delta;
} dmd_history_changed_t;

typedef struct dmd_history_stack {
  int64_t number;
  uint32_t first, n; /* range of stack_frames */
} dmd_history_stack_t;

typedef struct dmd_history_set {
  uint32_t base;  /* DMD_NONE: the set is complete */
  uint32_t depth; /* length of the chain; 1 if complete */
  const char *bytes;
  size_t n;
} dmd_history_set_t;

typedef struct dmd_kept {
  uint32_t build, moment, environment, set;
  uint32_t before; /* the entry of the previous build; DMD_NONE if none */
} dmd_kept_t;

typedef struct dmd_history {
  const dmd_env_t *env;
  uint32_t name; /* in texts: its title */
  dmd_intern_t texts, frames;
  dmd_intern_t data; /* bytes of sets that the history owns */
  dmd_pool_t builds, curves, points, values, alarms, changed;
  dmd_pool_t stacks, stack_frames, sets, kept;
} dmd_history_t;

/* The history must stay in place until it is destroyed. */
void dmd_history_init(dmd_history_t *history, const dmd_env_t *env);
void dmd_history_destroy(dmd_history_t *history);

/* ---- Building. Functions return ids; points belong to the curve added last, values to the last
 * point, changed records to the last alarm, frames to the last stack. ---- */

uint32_t dmd_history_add_build(dmd_history_t *history, dmd_history_build_t build);
uint32_t dmd_history_add_curve(dmd_history_t *history, dmd_history_curve_t curve);
void dmd_history_add_point(dmd_history_t *history, uint32_t build);
void dmd_history_add_value(dmd_history_t *history, int64_t value);
uint32_t dmd_history_add_alarm(dmd_history_t *history, dmd_history_alarm_t alarm);
void dmd_history_add_changed(dmd_history_t *history, dmd_history_changed_t changed);
uint32_t dmd_history_add_stack(dmd_history_t *history, int64_t number);
void dmd_history_add_frame(dmd_history_t *history, uint32_t frame);
uint32_t dmd_history_add_set(dmd_history_t *history, uint32_t base, const char *bytes, size_t n);
uint32_t dmd_history_add_kept(dmd_history_t *history, dmd_kept_t kept);

/* ---- Access. ---- */

static inline const dmd_history_build_t *dmd_history_build(const dmd_history_t *h, uint32_t id) {
  return DMD_POOL_AT(&h->builds, const dmd_history_build_t, id);
}

static inline const dmd_history_curve_t *dmd_history_curve(const dmd_history_t *h, uint32_t id) {
  return DMD_POOL_AT(&h->curves, const dmd_history_curve_t, id);
}

/* The i-th point of a curve, from 0, and the j-th value of a point. */
static inline const dmd_history_point_t *
dmd_history_point(const dmd_history_t *h, const dmd_history_curve_t *curve, uint32_t i) {
  return DMD_POOL_AT(&h->points, const dmd_history_point_t, curve->first + i);
}

static inline int64_t dmd_history_value(const dmd_history_t *h, const dmd_history_point_t *point,
                                        uint32_t j) {
  return *DMD_POOL_AT(&h->values, const int64_t, point->first + j);
}

static inline const dmd_history_alarm_t *dmd_history_alarm(const dmd_history_t *h, uint32_t id) {
  return DMD_POOL_AT(&h->alarms, const dmd_history_alarm_t, id);
}

static inline const dmd_kept_t *dmd_history_kept(const dmd_history_t *h, uint32_t id) {
  return DMD_POOL_AT(&h->kept, const dmd_kept_t, id);
}

static inline const char *dmd_history_text(const dmd_history_t *h, uint32_t id) {
  return dmd_intern_get_str(&h->texts, id);
}

/* The number of measurements of builds, over all moments and environments. */
uint64_t dmd_history_measured(const dmd_history_t *history);

/* A point in the form that dmd_changepoints_find takes. */
dmd_point_t dmd_history_mean(const dmd_history_t *history, const dmd_history_point_t *point);

/* An alarm with its texts, which the history owns. */
dmd_alarm_t dmd_history_told(const dmd_history_t *history, uint32_t alarm);

/* By build, the kept records on the curve's branch, moment and environment; DMD_NONE if none. The
 * caller frees the array with dmd_env_free. */
uint32_t *dmd_history_kept_along(const dmd_history_t *history, const dmd_history_curve_t *curve);

/* Reconstructs a complete set. Returns false if its bytes are damaged; destroy it in either
 * case. */
bool dmd_history_load(dmd_stackset_t *set, const dmd_history_t *history, uint32_t id);

/* ---- A build as a profile. ----
 *
 * Turns a build's data in a history into a profile, so that it can be viewed and
 * compared like any other.
 *
 * A history has bytes and blocks by stack and section. So the blocks of a stack share its bytes as
 * evenly as possible, reports have no known reporter, and there are no tags, threads, faults or
 * memory reports. Stacks are stored as of their last change, so lines may be those of another
 * build. */

/* Fills an initialised, empty profile. Returns NULL, or what is wrong with the history. */
const char *dmd_history_fill(dmd_profile_t *profile, const dmd_history_t *history, uint32_t kept);

#endif
