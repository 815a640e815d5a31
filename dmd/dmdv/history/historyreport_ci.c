/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/jsonout.h"
#include "base/strbuf.h"
#include "dmdv/history/historyreport.h"
#include "historydb/storedset.h"
#include "host/process.h"
#include "show/text/escape.h"
#include "show/text/text_history.h"

#include <string.h>

/* ---- Text of an event, to be escaped. ---- */

static dmd_out_t *begin(dmd_escaped_t *e) {
  return dmd_escaped_begin(e, &dmdv_env);
}

/* `heap: +10,000 bytes (8.06% of 124,008) since build 112` */
static void print_title(dmd_out_t *out, const dmdv_report_t *r, const dmdv_event_t *event) {
  const dmd_alarm_t *a = dmdv_report_main(r->events, event);
  dmd_text_alarm(out, a);
  dmd_out_str(out, " since build ");
  dmd_out_safe(out, a->first_build);
}

static void print_details(dmd_out_t *out, const dmdv_report_t *r, const dmdv_event_t *event) {
  dmd_text_event(out, dmdv_event_alarm(r->events, event, 0));
  dmd_out_char(out, '\n');
  dmdv_report_next(out, r->events, event, "");
  for (uint32_t i = 0; i < event->n; i++) {
    dmd_text_alarm(out, dmdv_event_alarm(r->events, event, i));
    dmd_out_char(out, '\n');
  }
  dmdv_report_changes(out, event, "");
}

/* ---- GitHub. ---- */

static void print_error(dmd_out_t *out, const dmdv_report_t *r, const dmdv_event_t *event) {
  dmd_escaped_t e;
  dmd_out_str(out, "::error ");
  if (event->place.file != NULL) {
    dmd_out_str(out, "file=");
    dmd_out_safe(begin(&e), event->place.file);
    dmd_escaped_end(&e, out, dmd_escape_github_property);
    dmd_out_str(out, ",line=");
    dmd_out_u64(out, event->place.line);
    dmd_out_char(out, ',');
  }
  dmd_out_str(out, "title=");
  print_title(begin(&e), r, event);
  dmd_escaped_end(&e, out, dmd_escape_github_property);
  dmd_out_str(out, "::");
  print_details(begin(&e), r, event);
  dmd_escaped_end(&e, out, dmd_escape_github);
  dmd_out_char(out, '\n');
}

void dmdv_report_github(dmd_out_t *out, dmdv_report_t *r) {
  for (uint32_t i = dmdv_events_count(r->events); i > 0; i--)
    if (dmdv_events_at(r->events, i - 1)->n_new > 0)
      print_error(out, r, dmdv_events_at(r->events, i - 1));
  dmdv_report_verdict(out, r);
  dmd_out_char(out, '\n');
}

/* ---- JUnit. ---- */

static void print_counts(dmd_out_t *out, uint32_t n_tests, uint32_t n_failures,
                         uint32_t n_skipped) {
  dmd_out_str(out, " tests=\"");
  dmd_out_u64(out, n_tests);
  dmd_out_str(out, "\" failures=\"");
  dmd_out_u64(out, n_failures);
  dmd_out_str(out, "\" errors=\"0\" skipped=\"");
  dmd_out_u64(out, n_skipped);
  dmd_out_char(out, '"');
}

/* An event with a new alarm fails, an acknowledged event is skipped, and one that is fixed or an
 * improvement passes. */
static bool is_skipped(const dmdv_report_t *r, const dmdv_event_t *event) {
  return event->n_new == 0 && dmdv_report_main(r->events, event)->state == DMD_ALARM_ACKNOWLEDGED;
}

static void print_test_case(dmd_out_t *out, const dmdv_report_t *r, const dmdv_event_t *event) {
  bool failed = event->n_new > 0, skipped = is_skipped(r, event);
  const char *element = failed ? "failure" : skipped ? "skipped" : "system-out";
  dmd_escaped_t e;
  dmd_out_str(out, "    <testcase classname=\"dmdv history check\" name=\"");
  dmd_text_event(begin(&e), dmdv_event_alarm(r->events, event, 0));
  dmd_escaped_end(&e, out, dmd_escape_xml);
  if (event->place.file != NULL) {
    dmd_out_str(out, "\" file=\"");
    dmd_out_safe(begin(&e), event->place.file);
    dmd_escaped_end(&e, out, dmd_escape_xml);
    dmd_out_str(out, "\" line=\"");
    dmd_out_u64(out, event->place.line);
  }
  dmd_out_str(out, "\">\n      <");
  dmd_out_str(out, element);
  if (failed || skipped) {
    dmd_out_str(out, failed ? " type=\"refused\" message=\"" : " message=\"");
    print_title(begin(&e), r, event);
    dmd_escaped_end(&e, out, dmd_escape_xml);
    dmd_out_char(out, '"');
  }
  dmd_out_char(out, '>');
  print_details(begin(&e), r, event);
  dmd_escaped_end(&e, out, dmd_escape_xml);
  dmd_out_str(out, "</");
  dmd_out_str(out, element);
  dmd_out_str(out, ">\n    </testcase>\n");
}

/* Without any event there is still one test: that the history was checked. */
void dmdv_report_junit(dmd_out_t *out, dmdv_report_t *r) {
  uint32_t n = dmdv_events_count(r->events), n_failures = 0, n_skipped = 0;
  for (uint32_t i = 0; i < n; i++) {
    n_failures += dmdv_events_at(r->events, i)->n_new > 0;
    n_skipped += is_skipped(r, dmdv_events_at(r->events, i));
  }
  dmd_out_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                   "  <testsuite name=\"dmdv history check\"");
  print_counts(out, n + 1, n_failures, n_skipped);
  dmd_out_str(out, ">\n    <testcase classname=\"dmdv history check\" name=\"all series\">"
                   "<system-out>");
  dmdv_report_verdict(out, r);
  dmd_out_str(out, "</system-out></testcase>\n");
  for (uint32_t i = 0; i < n; i++)
    print_test_case(out, r, dmdv_events_at(r->events, i));
  dmd_out_str(out, "  </testsuite>\n</testsuites>\n");
}

/* ---- GitLab. ---- */

/* The fingerprint of an event never changes, whatever is found out about the event later. */
static void write_fingerprint(dmd_jsonout_t *json, const dmd_alarm_t *a) {
  const char *words[] = {a->first_build, a->moment, a->branch, a->environment};
  unsigned char digest[DMDV_DIGEST_SZB];
  char text[DMDV_DIGEST_TEXT_SZB];
  dmd_strbuf_t all;
  dmd_strbuf_init(&all, &dmdv_env);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    dmd_strbuf_bytes(&all, words[i], strlen(words[i]) + 1);
  dmdv_digest(digest, all.text, all.n);
  dmd_strbuf_destroy(&all);
  dmdv_digest_text(text, digest);
  dmd_jsonout_key_str(json, "fingerprint", text);
}

static void write_issue(dmd_jsonout_t *json, const dmdv_report_t *r, const dmdv_event_t *event) {
  dmd_escaped_t e;
  dmd_jsonout_object(json, DMD_JSONOUT_LINES);
  print_title(begin(&e), r, event);
  dmd_out_flush(&e.out);
  dmd_jsonout_key_str(json, "description", e.text.text);
  dmd_strbuf_destroy(&e.text);
  dmd_jsonout_key_str(json, "check_name", "dmdv history check");
  write_fingerprint(json, dmdv_event_alarm(r->events, event, 0));
  dmd_jsonout_key_str(json, "severity", "major");
  dmd_jsonout_key(json, "location");
  dmd_jsonout_object(json, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(json, "path", event->place.file == NULL ? "unknown" : event->place.file);
  dmd_jsonout_key(json, "lines");
  dmd_jsonout_object(json, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(json, "begin", event->place.file == NULL ? 1 : event->place.line);
  dmd_jsonout_end(json);
  dmd_jsonout_end(json);
  dmd_jsonout_end(json);
}

void dmdv_report_gitlab(dmd_out_t *out, dmdv_report_t *r) {
  dmd_jsonout_t json;
  dmd_jsonout_init(&json, out);
  dmd_jsonout_array(&json, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < dmdv_events_count(r->events); i++)
    if (dmdv_events_at(r->events, i)->n_new > 0)
      write_issue(&json, r, dmdv_events_at(r->events, i));
  dmd_jsonout_end(&json);
}
