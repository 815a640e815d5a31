/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * events.h: what happened to a program with its builds: alarms that belong together, and all that
 * is to be told of them.
 *
 * The series that step at the same build, moment, environment and branch in the same direction are
 * one event. It has the stacks that changed most, the place in the source that they lead to, and
 * what to try next where several commits, or builds, may have done it.
 */
#ifndef DMD_READER_HISTORY_EVENTS_H
#define DMD_READER_HISTORY_EVENTS_H

#include "reader/history/alarms.h"

typedef struct dmdv_change {
  const char *frames; /* one a line */
  int64_t delta;      /* in bytes */
} dmdv_change_t;

/* The innermost frame of a stack whose file is in the repository; file NULL: none is. */
typedef struct dmdv_place {
  const char *file; /* from the top of the repository on */
  uint64_t line;
} dmdv_place_t;

typedef struct dmdv_event {
  uint32_t first, n; /* its alarms are those from `first` on */
  uint32_t n_new;    /* of them */
  dmdv_change_t changes[DMDV_ALARM_RECORDS];
  uint32_t n_changes;
  dmdv_place_t place; /* of the first change that has one */
  int64_t n_commits;  /* any of which may have done it; 0: not known. Of new alarms only */
  const char *next;   /* the commit, or the build, to try next; NULL: nothing to try */
  bool next_is_build; /* one of the history, to run once more */
} dmdv_event_t;

typedef struct dmdv_events {
  dmdv_alarms_t *alarms;
  dmd_intern_t texts;
  dmd_pool_t pool; /* dmdv_event_t */
} dmdv_events_t;

/* source_root: the top of the repository; NULL: that of the checkout that dmdv runs in, if it does
 * in one. False, with the reason on stderr; destroy it either way. */
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
