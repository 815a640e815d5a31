/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * history.h: the figures of a program's builds in memory, with the steps in them, and what each
 * stack held in each build.
 *
 *   texts    names of builds, series, moments, branches, environments
 *   builds   in the order of their branches, and then of time
 *   curves   a series at one moment, in one environment, on one branch; its points stand together
 *   points   a build with its runs, whose values stand together
 *   alarms   the steps of the curves (analysis/alarm.h), those of an event together; the records
 *            that changed most
 *   stacks   by a number of whoever made the sets, in its order; frames innermost first
 *   sets     of records (analysis/recordset.h), most of them as the difference from another one
 *   kept     of which build, moment and environment there is a set; those that may be compared
 *            (dmd_kept_t.before) stand in the order of their builds
 *
 * Everything has ids from 1 on, and DMD_NONE is none. A history is filled by dmdv, which has a
 * database, or by the reader of an image (image/imagehistory.h), which checks what the functions
 * here rely on: ids are of things that are there; a curve has a point, and its builds go upwards; a
 * step lies within its curve; values are at most DMD_MAX_SIZE, levels below that; a set is based on
 * an earlier one, and chains are short.
 */
#ifndef DMD_ANALYSIS_HISTORY_H
#define DMD_ANALYSIS_HISTORY_H

#include "analysis/alarm.h"
#include "analysis/recordset.h"
#include "base/intern.h"

enum { DMD_HISTORY_CHAIN = 64 /* sets that one is made of, at most */ };

typedef struct dmd_history_build {
  uint32_t name, branch; /* of the texts */
  int64_t time;          /* in seconds since 1970 */
} dmd_history_build_t;

typedef struct dmd_history_curve {
  dmd_figure_kind_t kind;
  uint32_t name, moment, environment, branch; /* of the texts; the name has the kind in front */
  uint32_t first, n;                          /* of the points */
} dmd_history_curve_t;

typedef struct dmd_history_point {
  uint32_t build;
  uint32_t first, n; /* of the values */
} dmd_history_point_t;

typedef struct dmd_history_alarm {
  uint32_t curve;
  dmd_step_t step;
  dmd_alarm_state_t state;
  uint32_t reason, fixed_build; /* of the texts */
  uint32_t next;      /* the build or commit to try next, of the texts; DMD_NONE: nothing to try */
  uint64_t n_commits; /* which may have done it; 0: the next is a build */
  uint32_t first, n;  /* of the changed records */
} dmd_history_alarm_t;

/* A record that changed with an alarm. */
typedef struct dmd_history_changed {
  uint32_t frames; /* of the texts: a frame a line */
  int64_t delta;
} dmd_history_changed_t;

typedef struct dmd_history_stack {
  int64_t number;
  uint32_t first, n; /* of the stacks' frames */
} dmd_history_stack_t;

typedef struct dmd_history_set {
  uint32_t base;  /* DMD_NONE: the set is whole */
  uint32_t depth; /* of the chain; a whole one's is 1 */
  const char *bytes;
  size_t n;
} dmd_history_set_t;

typedef struct dmd_kept {
  uint32_t build, moment, environment, set;
  uint32_t before; /* the kept one of the build before, DMD_NONE: there is none */
} dmd_kept_t;

typedef struct dmd_history {
  const dmd_env_t *env;
  uint32_t name; /* of the texts: what people call it */
  dmd_intern_t texts, frames;
  dmd_intern_t data; /* bytes of sets, where they are nobody else's */
  dmd_pool_t builds, curves, points, values, alarms, changed;
  dmd_pool_t stacks, stack_frames, sets, kept;
} dmd_history_t;

/* The history must stay where it is until it is destroyed. */
void dmd_history_init(dmd_history_t *history, const dmd_env_t *env);
void dmd_history_destroy(dmd_history_t *history);

/* ---- Filling it. Each gives the id; points belong to the curve that was added last, values to
 * the last point, changed records to the last alarm, frames to the last stack. ---- */

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

/* ---- Looking at it. ---- */

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

/* How often builds were measured: at each moment and in each environment. */
uint64_t dmd_history_measured(const dmd_history_t *history);

/* What dmd_steps_find takes of a point. */
dmd_point_t dmd_history_mean(const dmd_history_t *history, const dmd_history_point_t *point);

/* An alarm with its texts, which are the history's. */
dmd_alarm_t dmd_history_told(const dmd_history_t *history, uint32_t alarm);

/* By build, the kept records on the curve's branch, moment and environment; DMD_NONE: there are
 * none. An array to be freed with dmd_env_free. */
uint32_t *dmd_history_kept_along(const dmd_history_t *history, const dmd_history_curve_t *curve);

/* Makes a set whole. False where its bytes are damaged; destroy it either way. */
bool dmd_history_load(dmd_recordset_t *set, const dmd_history_t *history, uint32_t id);

#endif
