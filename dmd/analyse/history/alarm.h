/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * alarm.h: a change point in a metric over a program's builds, with its context.
 *
 * An unacknowledged increase is new, and an alarm; a decrease is an improvement. An increase is
 * fixed if a later decrease left at most a quarter of it. Metrics that change at the same build
 * belong to one event.
 */
#ifndef DMD_ANALYSE_HISTORY_ALARM_H
#define DMD_ANALYSE_HISTORY_ALARM_H

#include "analyse/history/changepoints.h"
#include "analyse/records/metrics.h"

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
