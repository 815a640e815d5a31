/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * alarms.h: the steps in a history, what is to be said of each, and what people said.
 *
 * A step upwards that nobody has acknowledged is an alarm; a step downwards is an improvement. What
 * made it are the stacks that hold more in the first build that has it than in the build before:
 * of the first run of each.
 */
#ifndef DMD_READER_HISTORY_ALARMS_H
#define DMD_READER_HISTORY_ALARMS_H

#include "reader/history/curves.h"

typedef enum { DMDV_ALARM_NEW, DMDV_ALARM_ACKNOWLEDGED, DMDV_ALARM_IMPROVED } dmdv_alarm_state_t;

const char *dmdv_alarm_state_name(dmdv_alarm_state_t state);

typedef struct dmdv_alarm {
  int64_t series, environment, build; /* ids; the build is the first of the step */
  dmd_figure_kind_t kind;
  const char *name, *moment, *environment_lines, *branch;
  const char *first_build, *after_build; /* names: of the step's first, and of the one before it */
  const char *earliest, *latest;         /* names: the first build is one of these */
  int64_t before_id;                     /* of the build before */
  dmd_step_t step;
  double now; /* the last build's value */
  dmdv_alarm_state_t state;
  const char *reason; /* why it was acknowledged, or "" */
} dmdv_alarm_t;

typedef struct dmdv_alarms {
  dmdv_database_t *db;
  dmd_steps_limits_t limits; /* of bytes; of counts 1 and the same share */
  dmd_intern_t texts;
  dmd_pool_t pool; /* dmdv_alarm_t */
  uint32_t n_curves, n_points;
} dmdv_alarms_t;

/* Finds them all, those of one moment, environment and build one after the other, and the heap
 * before its parts. False, with the reason on stderr; destroy it either way. */
bool dmdv_alarms_find(dmdv_alarms_t *alarms, dmdv_database_t *db, dmd_steps_limits_t limits);
void dmdv_alarms_destroy(dmdv_alarms_t *alarms);

static inline uint32_t dmdv_alarms_count(const dmdv_alarms_t *alarms) {
  return alarms->pool.last;
}

static inline const dmdv_alarm_t *dmdv_alarms_at(const dmdv_alarms_t *alarms, uint32_t i) {
  return DMD_POOL_AT(&alarms->pool, const dmdv_alarm_t, i + 1);
}

/* The stacks that changed most in the direction of the step, at most max of them: calls visit with
 * the frames, one a line, and by how many bytes. False, with the reason on stderr. */
bool dmdv_alarm_records(dmdv_database_t *db, const dmdv_alarm_t *alarm, uint32_t max,
                        void (*visit)(void *ctx, const char *frames, int64_t delta), void *ctx);

/* Says of this alarm that it is known, and why. */
bool dmdv_alarm_acknowledge(dmdv_database_t *db, const dmdv_alarm_t *alarm, const char *reason);

#endif
