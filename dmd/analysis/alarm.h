/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * alarm.h: a step in a figure of a program's builds, with all that people want to know of it.
 *
 * A step upwards that nobody has acknowledged is new, and an alarm; a step downwards is an
 * improvement. A step upwards is fixed where a later one left at most a quarter of it. Several
 * figures that step at one build are one event.
 */
#ifndef DMD_ANALYSIS_ALARM_H
#define DMD_ANALYSIS_ALARM_H

#include "analysis/figures.h"
#include "analysis/steps.h"

typedef enum {
  DMD_ALARM_NEW,
  DMD_ALARM_ACKNOWLEDGED,
  DMD_ALARM_FIXED,
  DMD_ALARM_IMPROVED,
  DMD_N_ALARM_STATES
} dmd_alarm_state_t;

/* As it is written, e.g. "new". */
const char *dmd_alarm_state_name(dmd_alarm_state_t state);

/* The strings are somebody else's. */
typedef struct dmd_alarm {
  dmd_figure_kind_t kind;
  const char *name; /* of the series, e.g. "heap" or "reporter explicit/cookies" */
  const char *moment, *environment, *branch;
  const char *first_build, *after_build; /* the step's first, and the one before it */
  const char *earliest, *latest;         /* the first build is one of these */
  dmd_step_t step;
  dmd_alarm_state_t state;
  const char *reason;      /* why it was acknowledged, or "" */
  const char *fixed_build; /* the first one without it, or "" */
} dmd_alarm_t;

/* How much more, or less, there is after the step. */
int64_t dmd_alarm_delta(const dmd_alarm_t *alarm);

/* Whether it is certain which build is the first one. */
bool dmd_alarm_is_certain(const dmd_alarm_t *alarm);

/* Whether both belong to one event. */
bool dmd_alarm_is_one_event(const dmd_alarm_t *a, const dmd_alarm_t *b);

#endif
