/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * historyreport.h: what dmdv history check found, for people and for programs.
 *
 *   text       for people
 *   json       an object; docs/manual.md has its keys
 *   github     commands of GitHub's workflows: an error for each event with a new alarm, at the
 *              place in the source, the newest first, since GitHub shows ten
 *   markdown   for a job's summary and a comment
 *   junit      a test suite in which events are test cases
 *   gitlab     code quality: an issue for each event with a new alarm
 */
#ifndef DMD_READER_COMMAND_HISTORYREPORT_H
#define DMD_READER_COMMAND_HISTORYREPORT_H

#include "base/out.h"
#include "reader/history/events.h"

typedef struct dmdv_report {
  dmdv_alarms_t *alarms;
  const dmdv_events_t *events;
  uint32_t n_new;
  bool good; /* false: the history could not be read, which was said */
} dmdv_report_t;

typedef void (*dmdv_report_fn)(dmd_out_t *out, dmdv_report_t *report);

void dmdv_report_text(dmd_out_t *out, dmdv_report_t *report);
void dmdv_report_json(dmd_out_t *out, dmdv_report_t *report);
void dmdv_report_github(dmd_out_t *out, dmdv_report_t *report);
void dmdv_report_markdown(dmd_out_t *out, dmdv_report_t *report);
void dmdv_report_junit(dmd_out_t *out, dmdv_report_t *report);
void dmdv_report_gitlab(dmd_out_t *out, dmdv_report_t *report);

/* ---- Pieces, safe for terminals; more are in text/text_history.h. ---- */

/* What to try next, lines that begin with the indent; nothing where there is nothing. */
void dmdv_report_next(dmd_out_t *out, const dmdv_events_t *events, const dmdv_event_t *event,
                      const char *indent);

/* The stacks that changed most, lines likewise. */
void dmdv_report_changes(dmd_out_t *out, const dmdv_event_t *event, const char *indent);

/* The alarm that stands for the event: the first one that is new, or the first. */
const dmd_alarm_t *dmdv_report_main(const dmdv_events_t *events, const dmdv_event_t *event);

/* A number with its sign. */
void dmdv_report_signed(dmd_out_t *out, int64_t number);

#endif
