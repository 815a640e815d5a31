/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * curves.h: the series of a history, point by point, and the steps in them.
 *
 * A curve is a series at one moment, in one environment, on one branch: figures that may be
 * compared. It has a point for each build that has a run there. The processes of one launch of the
 * program are added up; where a build has several there is a further curve for each, called e.g.
 * "heap of worker".
 *
 * Cost: memory for all runs and for one series' values, whatever the number of series.
 */
#ifndef DMD_READER_HISTORY_CURVES_H
#define DMD_READER_HISTORY_CURVES_H

#include "analysis/figures.h"
#include "analysis/steps.h"
#include "reader/history/database.h"

typedef struct dmdv_curve_build {
  int64_t id, time;
  const char *name;
} dmdv_curve_build_t;

typedef struct dmdv_curve {
  int64_t series, environment; /* ids */
  dmd_figure_kind_t kind;
  const char *name;    /* of the series, e.g. "heap" or "reporter explicit/cookies" */
  const char *process; /* of which the figures are; "": of all */
  const char *moment, *environment_lines, *branch;
  const dmdv_curve_build_t *builds; /* in order */
  const dmd_point_t *points;        /* one for each */
  const int64_t *values;            /* of the launches: the first point's, then the second's ... */
  uint32_t n;
} dmdv_curve_t;

/* Calls visit for each curve, or for those with this name; what it gets is good until it returns.
 * It asks nothing of the database. False, with the reason on stderr, if the history cannot be read.
 */
bool dmdv_curves_visit(dmdv_database_t *db, void (*visit)(void *ctx, const dmdv_curve_t *curve),
                       void *ctx);
bool dmdv_curves_visit_named(dmdv_database_t *db, const char *name,
                             void (*visit)(void *ctx, const dmdv_curve_t *curve), void *ctx);

/* The steps of a curve, as dmd_steps_find has them. limits: of bytes; of a count the least is 1. */
dmd_step_t *dmdv_curve_steps(const dmdv_curve_t *curve, dmd_steps_limits_t limits, uint32_t *n);

#endif
