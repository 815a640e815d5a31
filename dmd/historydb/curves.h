/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * curves.h: the series of a history, point by point, and their change points.
 *
 * A curve is a series at one moment, in one environment, on one branch: values that are comparable.
 * It has a point for each build with a run there. The processes of one launch of the program are
 * added up; if a build has several, each process gets a further curve, named e.g. "heap of worker".
 *
 * A build may have many launches of one moment and environment, such as the processes of a fleet. A
 * random sample of `most` of them may then be enough. Equal histories have equal samples.
 *
 * Cost: memory for all these runs and for one series' values, whatever the number of series.
 */
#ifndef DMD_HISTORYDB_CURVES_H
#define DMD_HISTORYDB_CURVES_H

#include "analyse/history/changepoints.h"
#include "analyse/records/metrics.h"
#include "historydb/database.h"

typedef struct dmdv_curve_build {
  int64_t id, time;
  const char *name;
} dmdv_curve_build_t;

typedef struct dmdv_curve {
  int64_t series, environment; /* ids */
  dmd_metric_kind_t kind;
  const char *name;    /* of the series, e.g. "heap" or "reporter explicit/cookies" */
  const char *process; /* whose metrics they are; "": all processes together */
  const char *moment, *environment_lines, *branch;
  const dmdv_curve_build_t *builds; /* in order */
  const dmd_point_t *points;        /* one for each */
  const int64_t
      *values; /* of the launches: those of the first point, then those of the second ... */
  uint32_t n;
} dmdv_curve_t;

/* So many launches of a build give its mean and how much they scatter; all of them. */
enum { DMDV_CURVE_SAMPLE = 50, DMDV_CURVE_ALL = INT32_MAX };

/* Calls visit for each curve, or for those with this name, of all launches. visit's argument is
 * valid only during the call, and visit must not use the database. False, with the reason on
 * stderr, if the history cannot be read.
 */
bool dmdv_curves_visit(dmdv_database_t *db, int64_t most,
                       void (*visit)(void *ctx, const dmdv_curve_t *curve), void *ctx);
bool dmdv_curves_visit_named(dmdv_database_t *db, const char *name,
                             void (*visit)(void *ctx, const dmdv_curve_t *curve), void *ctx);

/* The change points of a curve, as dmd_changepoints_find returns them. limits: of bytes; a count
 * needs a change of at least 1. */
dmd_changepoint_t *dmdv_curve_steps(const dmdv_curve_t *curve, dmd_changepoints_limits_t limits,
                                    uint32_t *n);

#endif
