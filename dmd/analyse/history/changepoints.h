/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * changepoints.h: change point detection: where the level of a metric changes over the builds of a
 * program.
 *
 * A series is one metric of each build, in order; a build with several runs has their mean. Between
 * change points a series scatters around a level. A step is a change to another level; a slow
 * change is a level that rises or falls from build to build.
 *
 * Builds are processed in order. Later builds improve the location of a step, withdraw one that was
 * due to chance, and continue a slow change. With three runs per build a step is detected at its
 * first build; changepoints.c describes the test, fits.h the significance.
 *
 * Cost: for each build a walk over the last DMD_CHANGEPOINTS_WINDOW builds, and a walk over its
 * level where a change is likely.
 */
#ifndef DMD_ANALYSE_HISTORY_CHANGEPOINTS_H
#define DMD_ANALYSE_HISTORY_CHANGEPOINTS_H

#include "analyse/records/metrics.h"
#include "base/env.h"

#include <stdbool.h>

enum {
  DMD_CHANGEPOINTS_WINDOW = 30,   /* a step is found at most this many builds later */
  DMD_CHANGEPOINTS_TREND = 12,    /* minimum number of builds for a slow change */
  DMD_CHANGEPOINTS_ODDS = 200000, /* one in this many such steps is due to chance */
  DMD_CHANGEPOINTS_RARE =
      1000 /* minimum number of ways to choose the runs of the new level among all */
};

/* A build: the mean of its runs, their number, and their standard deviation (0 for a single
 * run). */
typedef struct dmd_point {
  double value;
  uint32_t n_runs;
  double deviation;
} dmd_point_t;

/* Changes below the larger of these are ignored. */
typedef struct dmd_changepoints_limits {
  double least;       /* in the metric's unit */
  double least_share; /* share of the previous level */
} dmd_changepoints_limits_t;

typedef struct dmd_changepoint {
  uint32_t first; /* the first build of the new level; for a slow change its last build */
  uint32_t earliest, latest; /* range of builds that may be the first, given the scatter */
  uint32_t since;            /* the first build of the previous level */
  uint32_t found;            /* the build at which the step, or a slow change's start, was found */
  double before, after;      /* the levels; for a slow change its start and end */
  double deviation;          /* standard deviation of the builds around them */
  bool is_slow;
} dmd_changepoint_t;

/* Returns the steps in order, *n of them, to be freed with dmd_env_free; NULL if none. */
dmd_changepoint_t *dmd_changepoints_find(const dmd_env_t *env, const dmd_point_t *points,
                                         uint32_t n_points, dmd_changepoints_limits_t limits,
                                         uint32_t *n);

/* The number of builds, with as many runs each as the last point, that a series with these points
 * needs before any step in it can be found; 0 if there are enough points. */
uint32_t dmd_changepoints_needed(const dmd_point_t *points, uint32_t n_points);

/* ---- Alarms. ----
 *
 * A change point in a metric over a program's builds, with its context.
 *
 * An unacknowledged increase is new, and an alarm; a decrease is an improvement. An increase is
 * fixed if a later decrease left at most a quarter of it. Metrics that change at the same build
 * belong to one event. */

typedef enum {
  DMD_ALARM_NEW,
  DMD_ALARM_ACKNOWLEDGED,
  DMD_ALARM_FIXED,
  DMD_ALARM_IMPROVED,
  DMD_N_ALARM_STATES
} dmd_alarm_state_t;

/* The word for a state, e.g. "new". */
const char *dmd_alarm_state_name(dmd_alarm_state_t state);

/* Strings are borrowed. */
typedef struct dmd_alarm {
  dmd_metric_kind_t kind;
  const char *name; /* of the series, e.g. "heap" or "reporter explicit/cookies" */
  const char *moment, *environment, *branch;
  const char *first_build,
      *after_build;              /* the first build of the new level, and the one before it */
  const char *earliest, *latest; /* the first build is in this range */
  dmd_changepoint_t step;
  dmd_alarm_state_t state;
  const char *reason;      /* why it was acknowledged, or "" */
  const char *fixed_build; /* the first build without it, or "" */
} dmd_alarm_t;

/* The size of the change, negative for a decrease. */
int64_t dmd_alarm_delta(const dmd_alarm_t *alarm);

/* True if the first build is certain. */
bool dmd_alarm_is_certain(const dmd_alarm_t *alarm);

/* True if both belong to one event. */
bool dmd_alarm_is_one_event(const dmd_alarm_t *a, const dmd_alarm_t *b);

#endif
