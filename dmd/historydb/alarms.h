/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * alarms.h: the change points in a history, the report on each, and users' acknowledgements.
 *
 * A change point (analyse/history/changepoints.h) is explained by the stacks that hold more in the
 * first build after it than in the build before it, each build represented by its first launch.
 * Where builds scatter, a stack may differ by more between two of them than the one that made the
 * change; so the last builds before it are compared with the first builds after it.
 */
#ifndef DMD_HISTORYDB_ALARMS_H
#define DMD_HISTORYDB_ALARMS_H

#include "analyse/history/changepoints.h"
#include "historydb/curves.h"
#include "historydb/setsums.h"

enum {
  DMDV_ALARM_RECORDS = 5, /* records reported for an alarm */
  DMDV_ALARM_NEAR = 8     /* builds on each side, at most, that are compared */
};

typedef struct dmdv_alarm {
  dmd_alarm_t alarm;
  const char *process;                /* whose metrics they are; "": all processes together */
  int64_t series, environment, build; /* ids; build is the first one after the change */
  int64_t before_id;                  /* id of the build before it */
  int64_t without[DMDV_ALARM_NEAR], with[DMDV_ALARM_NEAR]; /* n_near of each are compared */
  uint32_t n_near;
  double now; /* the last build's value */
  const char *sure,
      *middle; /* of the builds that may be the first: the one before them, and the middle one */
} dmdv_alarm_t;

/* Whether the newest build can be judged: the curves that have it, and those of them that are too
 * short for any step to be found. */
typedef struct dmdv_unjudged {
  int64_t time, build; /* of the newest build */
  uint32_t n_curves, n_short;
  uint32_t n_builds, needed; /* of the longest curve that is too short */
} dmdv_unjudged_t;

typedef struct dmdv_alarms {
  dmdv_database_t *db;
  dmd_changepoints_limits_t limits; /* of bytes; counts use 1 and the same share */
  const char *of_build;             /* NULL: change points of any build */
  void (*visit)(void *ctx, const dmdv_curve_t *curve); /* NULL: no visitor */
  void *visit_ctx;
  dmd_intern_t texts;
  dmd_pool_t pool; /* dmdv_alarm_t */
  uint32_t n_curves, n_points;
  dmdv_unjudged_t unjudged;
  dmdv_setsums_t sums;         /* of builds, for the records */
  const dmdv_alarm_t *differs; /* the alarm that the sums belong to; NULL: none */
} dmdv_alarms_t;

/* Finds all alarms. Those of one moment, environment and build are adjacent, and the heap comes
 * before its parts. False, with the reason on stderr; destroy it either way. */
bool dmdv_alarms_find(dmdv_alarms_t *alarms, dmdv_database_t *db, dmd_changepoints_limits_t limits);

/* Also calls visit for each curve, as dmdv_curves_visit does: they are read once. */
bool dmdv_alarms_find_and_visit(dmdv_alarms_t *alarms, dmdv_database_t *db,
                                dmd_changepoints_limits_t limits,
                                void (*visit)(void *ctx, const dmdv_curve_t *curve), void *ctx);

/* Finds only the alarms whose first build is this one, as far as that can be decided. */
bool dmdv_alarms_find_of_build(dmdv_alarms_t *alarms, dmdv_database_t *db,
                               dmd_changepoints_limits_t limits, const char *build);

void dmdv_alarms_destroy(dmdv_alarms_t *alarms);

static inline uint32_t dmdv_alarms_count(const dmdv_alarms_t *alarms) {
  return alarms->pool.last;
}

static inline const dmdv_alarm_t *dmdv_alarms_at(const dmdv_alarms_t *alarms, uint32_t i) {
  return DMD_POOL_AT(&alarms->pool, const dmdv_alarm_t, i + 1);
}

/* True if every curve with the newest build is too short, so that no step could be found there. */
static inline bool dmdv_alarms_are_too_early(const dmdv_alarms_t *alarms) {
  return alarms->unjudged.n_curves > 0 && alarms->unjudged.n_short == alarms->unjudged.n_curves;
}

/* The stacks that changed most in the alarm's direction, at most DMDV_ALARM_RECORDS. Calls visit
 * with the frames, one a line, and the change in bytes (the mean, where several builds were
 * compared). Is cheapest if called for the alarms in their order (setsums.h). False, with the
 * reason on stderr. */
bool dmdv_alarm_records(dmdv_alarms_t *alarms, const dmdv_alarm_t *alarm,
                        void (*visit)(void *ctx, const char *frames, int64_t delta), void *ctx);

/* Marks the alarm as known, with a reason. */
bool dmdv_alarm_acknowledge(dmdv_database_t *db, const dmdv_alarm_t *alarm, const char *reason);

#endif
