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

#endif
