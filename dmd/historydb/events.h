/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * events.h: groups the alarms of a history into events, with all that is reported on each.
 *
 * The series that change at the same build, moment, environment and branch, in the same direction,
 * are one event. It has the stacks that changed most, the place in the source that they lead to,
 * and the commit or build to try next if several of them may be the cause.
 */
#ifndef DMD_HISTORYDB_EVENTS_H
#define DMD_HISTORYDB_EVENTS_H

#include "historydb/alarms.h"

typedef struct dmdv_change {
  const char *frames; /* one a line */
  int64_t delta;      /* in bytes */
} dmdv_change_t;

/* The innermost frame of a stack whose file is in the repository. file is NULL if no frame's is. */
typedef struct dmdv_place {
  const char *file; /* relative to the top of the repository */
  uint64_t line;
} dmdv_place_t;

typedef struct dmdv_event {
  uint32_t first, n; /* its alarms are n, beginning with `first` */
  uint32_t n_new;    /* the number of new ones */
  dmdv_change_t changes[DMDV_ALARM_RECORDS];
  uint32_t n_changes;
  dmdv_place_t place; /* of the first change that has a place */
  int64_t n_commits;  /* that may be the cause; 0: unknown. Set for new alarms only */
  const char *next;   /* the commit, or the build, to try next; NULL: nothing to try */
  bool next_is_build; /* next is a build of the history, to be run once more */
} dmdv_event_t;

typedef struct dmdv_events {
  dmdv_alarms_t *alarms;
  dmd_intern_t texts;
  dmd_pool_t pool; /* dmdv_event_t */
} dmdv_events_t;

/* source_root: the top of the repository; NULL: the top of the checkout that contains the current
 * folder, if there is one. False, with the reason on stderr; destroy it either way. */
bool dmdv_events_find(dmdv_events_t *events, dmdv_alarms_t *alarms, const char *source_root);
void dmdv_events_destroy(dmdv_events_t *events);

static inline uint32_t dmdv_events_count(const dmdv_events_t *events) {
  return events->pool.last;
}

static inline const dmdv_event_t *dmdv_events_at(const dmdv_events_t *events, uint32_t i) {
  return DMD_POOL_AT(&events->pool, const dmdv_event_t, i + 1);
}

/* The i-th of its alarms. */
static inline const dmd_alarm_t *dmdv_event_alarm(const dmdv_events_t *events,
                                                  const dmdv_event_t *event, uint32_t i) {
  return &dmdv_alarms_at(events->alarms, event->first + i)->alarm;
}

#endif
