/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * historyreport.h: prints the findings of dmdv history check for people and for programs.
 *
 *   text       for people
 *   json       an object; docs/format.md has its keys
 *   github     commands of GitHub's workflows: an error for each event with a new alarm, at the
 *              place in the source, the newest first, since GitHub shows ten
 *   markdown   for a job's summary and a comment
 *   junit      a test suite in which events are test cases
 *   gitlab     code quality: an issue for each event with a new alarm
 */
#ifndef DMD_DMDV_HISTORY_HISTORYREPORT_H
#define DMD_DMDV_HISTORY_HISTORYREPORT_H

#include "base/out.h"
#include "historydb/events.h"

typedef struct dmdv_report {
  dmdv_alarms_t *alarms;
  const dmdv_events_t *events;
  uint32_t n_new;
  uint32_t max_alarms; /* of JSON; 0: all */
  bool good;           /* false: the history could not be read, which was reported */
} dmdv_report_t;

typedef void (*dmdv_report_fn)(dmd_out_t *out, dmdv_report_t *report);

void dmdv_report_text(dmd_out_t *out, dmdv_report_t *report);
void dmdv_report_json(dmd_out_t *out, dmdv_report_t *report);
void dmdv_report_github(dmd_out_t *out, dmdv_report_t *report);
void dmdv_report_markdown(dmd_out_t *out, dmdv_report_t *report);
void dmdv_report_junit(dmd_out_t *out, dmdv_report_t *report);
void dmdv_report_gitlab(dmd_out_t *out, dmdv_report_t *report);

/* ---- Parts of reports, safe for terminals; more are in show/text/text_history.h. ---- */

/* Prints what to try next, each line after the indent; nothing if there is no suggestion. */
void dmdv_report_next(dmd_out_t *out, const dmdv_events_t *events, const dmdv_event_t *event,
                      const char *indent);

/* Prints the stacks that changed most, each line after the indent. */
void dmdv_report_changes(dmd_out_t *out, const dmdv_event_t *event, const char *indent);

/* The alarm that represents the event: the first new one, otherwise the first. */
const dmd_alarm_t *dmdv_report_main(const dmdv_events_t *events, const dmdv_event_t *event);

/* Prints the verdict in one line, without its end, and whether it is too early for one. */
void dmdv_report_verdict(dmd_out_t *out, const dmdv_report_t *report);

/* Prints a number with its sign. */
void dmdv_report_signed(dmd_out_t *out, int64_t number);

#endif
