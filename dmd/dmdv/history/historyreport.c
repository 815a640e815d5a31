/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/history/historyreport.h"

#include "base/jsonout.h"
#include "host/process.h"
#include "show/text/print.h"
#include "show/text/text_history.h"

#include <string.h>

/* ---- Pieces. ---- */

const dmd_alarm_t *dmdv_report_main(const dmdv_events_t *events, const dmdv_event_t *event) {
  uint32_t i = 0;
  while (i < event->n && dmdv_event_alarm(events, event, i)->state != DMD_ALARM_NEW)
    i++;
  return dmdv_event_alarm(events, event, i < event->n ? i : 0);
}

void dmdv_report_signed(dmd_out_t *out, int64_t number) {
  dmd_out_str(out, number > 0 ? "+" : "");
  dmd_print_number(out, number, false);
}

void dmdv_report_verdict(dmd_out_t *out, const dmdv_report_t *report) {
  const dmdv_unjudged_t *unjudged = &report->alarms->unjudged;
  dmd_text_alarms_verdict(out, report->n_new, report->alarms->n_curves);
  if (!dmdv_alarms_are_too_early(report->alarms))
    return;
  dmd_out_str(out, "; the newest build cannot be judged yet: ");
  dmd_text_too_early(out, unjudged->n_builds, unjudged->needed);
}

void dmdv_report_next(dmd_out_t *out, const dmdv_events_t *events, const dmdv_event_t *event,
                      const char *indent) {
  const dmd_alarm_t *a = dmdv_report_main(events, event);
  if (!dmd_alarm_is_certain(a)) {
    dmd_out_str(out, indent);
    dmd_text_bracket(out, a);
    dmd_out_char(out, '\n');
  }
  if (event->next == NULL)
    return;
  dmd_out_str(out, indent);
  dmd_text_next_build(out, event->next, event->next_is_build ? 0 : event->n_commits);
  dmd_out_char(out, '\n');
}

void dmdv_report_changes(dmd_out_t *out, const dmdv_event_t *event, const char *indent) {
  for (uint32_t i = 0; i < event->n_changes; i++) {
    dmd_out_str(out, indent);
    dmdv_report_signed(out, event->changes[i].delta);
    dmd_out_str(out, " bytes\n");
    for (const char *line = event->changes[i].frames; *line != '\0';) {
      size_t n = strcspn(line, "\n");
      dmd_out_str(out, indent);
      dmd_out_str(out, "  ");
      dmd_out_safe_n(out, line, n);
      dmd_out_char(out, '\n');
      line += n + (line[n] == '\n');
    }
  }
}

/* ---- For people. ---- */

void dmdv_report_text(dmd_out_t *out, dmdv_report_t *r) {
  for (uint32_t i = 0; i < dmdv_events_count(r->events); i++) {
    const dmdv_event_t *event = dmdv_events_at(r->events, i);
    dmd_text_event(out, dmdv_event_alarm(r->events, event, 0));
    dmd_out_char(out, '\n');
    dmdv_report_next(out, r->events, event, "  ");
    for (uint32_t k = 0; k < event->n; k++) {
      dmd_out_str(out, "  ");
      dmd_text_alarm(out, dmdv_event_alarm(r->events, event, k));
      dmd_out_char(out, '\n');
    }
    if (event->n_changes > 0)
      dmd_out_str(out, "  The stacks that changed most:\n");
    dmdv_report_changes(out, event, "    ");
    dmd_out_char(out, '\n');
  }
  dmdv_report_verdict(out, r);
  dmd_out_char(out, '\n');
}

/* ---- JSON. ---- */

static void write_record(void *ctx, const char *frames, int64_t delta) {
  dmd_json_alarm_record(ctx, &dmdv_env, frames, delta);
}

/* Writes the keys of the whole event, which each of its alarms repeats. */
static void write_event_keys(dmd_jsonout_t *json, const dmdv_event_t *event) {
  if (event->n_commits > 0)
    dmd_jsonout_key_u64(json, "commits", (uint64_t)event->n_commits);
  if (event->next != NULL)
    dmd_jsonout_key_str(json, "next_build", event->next);
  if (event->place.file != NULL) {
    dmd_jsonout_key_str(json, "file", event->place.file);
    dmd_jsonout_key_u64(json, "line", event->place.line);
  }
}

static void write_alarm(dmd_jsonout_t *json, dmdv_report_t *r, const dmdv_event_t *event,
                        const dmdv_alarm_t *a) {
  dmd_jsonout_object(json, DMD_JSONOUT_LINES);
  dmd_json_alarm(json, &a->alarm);
  write_event_keys(json, event);
  dmd_jsonout_key(json, "records");
  dmd_jsonout_array(json, DMD_JSONOUT_LINES);
  r->good = r->good && dmdv_alarm_records(r->alarms, a, write_record, json);
  dmd_jsonout_end(json);
  dmd_jsonout_end(json);
}

void dmdv_report_json(dmd_out_t *out, dmdv_report_t *r) {
  uint32_t all = dmdv_alarms_count(r->alarms), most = r->max_alarms == 0 ? all : r->max_alarms;
  uint32_t n_new = r->n_new < most ? r->n_new : most, n_others = most - n_new; /* to be written */
  dmd_jsonout_t json;
  dmd_jsonout_init(&json, out);
  dmd_jsonout_object(&json, DMD_JSONOUT_LINES);
  dmd_jsonout_key(&json, "alarms");
  dmd_jsonout_array(&json, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < dmdv_events_count(r->events); i++) {
    const dmdv_event_t *event = dmdv_events_at(r->events, i);
    for (uint32_t k = 0; k < event->n; k++) {
      const dmdv_alarm_t *alarm = dmdv_alarms_at(r->alarms, event->first + k);
      uint32_t *left = alarm->alarm.state == DMD_ALARM_NEW ? &n_new : &n_others;
      if (*left > 0)
        write_alarm(&json, r, event, alarm);
      *left -= *left > 0;
    }
  }
  dmd_jsonout_end(&json);
  if (all > most)
    dmd_jsonout_key_u64(&json, "leftOut", all - most);
  dmd_jsonout_end(&json);
}
