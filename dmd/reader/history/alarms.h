/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * alarms.h: the steps in a history, what is to be said of each, and what people said.
 *
 * What made a step (analysis/alarm.h) are the stacks that hold more in the first build that has it
 * than in the build before: of the first launch of each. Where builds
 * scatter, some stack may differ by more between two of them than the one that made the step; so
 * the last builds before it are compared with the first that have it.
 */
#ifndef DMD_READER_HISTORY_ALARMS_H
#define DMD_READER_HISTORY_ALARMS_H

#include "analysis/alarm.h"
#include "reader/history/curves.h"
#include "reader/history/setsums.h"

enum {
  DMDV_ALARM_RECORDS = 5, /* that are told of an alarm */
  DMDV_ALARM_NEAR = 8     /* builds on each side, at most, that are compared */
};

typedef struct dmdv_alarm {
  dmd_alarm_t alarm;
  const char *process;                /* whose figures they are, "": of all */
  int64_t series, environment, build; /* ids; the build is the first of the step */
  int64_t before_id;                  /* of the build before */
  int64_t without[DMDV_ALARM_NEAR], with[DMDV_ALARM_NEAR]; /* n_near of each are compared */
  uint32_t n_near;
  double now;                /* the last build's value */
  const char *sure, *middle; /* of the builds that may be the first: the one before, and in midst */
} dmdv_alarm_t;

typedef struct dmdv_alarms {
  dmdv_database_t *db;
  dmd_steps_limits_t limits; /* of bytes; of counts 1 and the same share */
  const char *of_build;      /* NULL: steps of any build */
  dmd_intern_t texts;
  dmd_pool_t pool; /* dmdv_alarm_t */
  uint32_t n_curves, n_points;
  dmdv_setsums_t sums;         /* of builds, for the records */
  const dmdv_alarm_t *differs; /* the alarm that the sum is of; NULL: none */
} dmdv_alarms_t;

/* Finds them all, those of one moment, environment and build one after the other, and the heap
 * before its parts. False, with the reason on stderr; destroy it either way. */
bool dmdv_alarms_find(dmdv_alarms_t *alarms, dmdv_database_t *db, dmd_steps_limits_t limits);

/* The same of those steps alone whose first build is this one, as far as can be told. */
bool dmdv_alarms_find_of_build(dmdv_alarms_t *alarms, dmdv_database_t *db,
                               dmd_steps_limits_t limits, const char *build);

void dmdv_alarms_destroy(dmdv_alarms_t *alarms);

static inline uint32_t dmdv_alarms_count(const dmdv_alarms_t *alarms) {
  return alarms->pool.last;
}

static inline const dmdv_alarm_t *dmdv_alarms_at(const dmdv_alarms_t *alarms, uint32_t i) {
  return DMD_POOL_AT(&alarms->pool, const dmdv_alarm_t, i + 1);
}

/* The stacks that changed most in the direction of the step, at most DMDV_ALARM_RECORDS: calls
 * visit with the frames, one a line, and by how many bytes (the mean where builds were compared).
 * Costs least when alarms are asked for in their order (setsums.h). False, with the reason on
 * stderr. */
bool dmdv_alarm_records(dmdv_alarms_t *alarms, const dmdv_alarm_t *alarm,
                        void (*visit)(void *ctx, const char *frames, int64_t delta), void *ctx);

/* Says of this alarm that it is known, and why. */
bool dmdv_alarm_acknowledge(dmdv_database_t *db, const dmdv_alarm_t *alarm, const char *reason);

#endif
