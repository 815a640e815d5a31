/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Markdown for GitHub and GitLab. Names are in code spans, so that they neither notify anybody nor
 * become links. A comment may have 65,536 characters.
 */
#include "base/strbuf.h"
#include "dmdv/history/historyreport.h"
#include "host/process.h"
#include "show/text/escape.h"
#include "show/text/print.h"
#include "show/text/text_history.h"

enum { MAX_EVENTS = 20, MAX_SERIES = 20, MAX_CHANGES_SZB = 2000 };

/* ---- Names. ---- */

static dmd_out_t *begin(dmd_escaped_t *e) {
  return dmd_escaped_begin(e, &dmdv_env);
}

static void end(dmd_escaped_t *e, dmd_out_t *out) {
  dmd_escaped_end(e, out, dmd_escape_markdown);
}

static void put_name(dmd_out_t *out, const char *name) {
  dmd_escaped_t e;
  dmd_out_str(out, "<code>");
  dmd_out_safe(begin(&e), name);
  end(&e, out);
  dmd_out_str(out, "</code>");
}

/* ---- An event. ---- */

static void print_state(dmd_out_t *out, const dmd_alarm_t *a) {
  dmd_escaped_t e;
  dmd_out_str(out, a->state == DMD_ALARM_NEW ? "**new**" : dmd_alarm_state_name(a->state));
  if (a->state == DMD_ALARM_FIXED) {
    dmd_out_str(out, " with ");
    put_name(out, a->fixed_build);
  } else if (a->state == DMD_ALARM_ACKNOWLEDGED) {
    dmd_out_str(out, ": ");
    dmd_out_safe(begin(&e), a->reason);
    end(&e, out);
  }
}

static void print_series(dmd_out_t *out, const dmd_alarm_t *a) {
  int64_t before = (int64_t)a->step.before, delta = dmd_alarm_delta(a);
  dmd_out_str(out, "| ");
  put_name(out, a->name);
  dmd_out_str(out, " | ");
  dmdv_report_signed(out, delta);
  dmd_out_str(out, " | ");
  if (before != 0)
    dmd_print_percent(out, delta, before);
  dmd_out_str(out, " | ");
  dmd_print_number(out, before, false);
  dmd_out_str(out, " | ");
  print_state(out, a);
  dmd_out_str(out, " |\n");
}

static void print_event_name(dmd_out_t *out, const dmdv_event_t *event, const dmd_alarm_t *a) {
  dmd_out_str(out, a->state == DMD_ALARM_IMPROVED ? "#### Less since " : "#### More since ");
  put_name(out, a->first_build);
  dmd_out_str(out, " (after ");
  put_name(out, a->after_build);
  dmd_out_str(out, "), ");
  put_name(out, a->moment);
  dmd_out_str(out, ", ");
  put_name(out, a->branch);
  dmd_out_str(out, "\n\n");
  if (event->place.file == NULL)
    return;
  dmd_out_str(out, "At ");
  put_name(out, event->place.file);
  dmd_out_str(out, ", line ");
  dmd_out_u64(out, event->place.line);
  dmd_out_str(out, ".\n\n");
}

static void print_next(dmd_out_t *out, const dmdv_report_t *r, const dmdv_event_t *event) {
  dmd_escaped_t e;
  dmdv_report_next(begin(&e), r->events, event, "");
  dmd_out_flush(&e.out);
  bool any = e.text.n > 0;
  end(&e, out);
  dmd_out_str(out, any ? "\n\n" : "");
}

/* Prints as many whole lines as fit. */
static void print_changes(dmd_out_t *out, const dmdv_event_t *event) {
  if (event->n_changes == 0)
    return;
  dmd_escaped_t e;
  dmdv_report_changes(begin(&e), event, "");
  dmd_out_flush(&e.out);
  size_t n = e.text.n;
  bool is_cut = n > MAX_CHANGES_SZB;
  if (is_cut)
    for (n = MAX_CHANGES_SZB; n > 0 && e.text.text[n - 1] != '\n'; n--)
      continue;
  dmd_strbuf_cut(&e.text, n);
  dmd_out_str(out, "<details><summary>The stacks that changed most</summary>\n\n<pre>\n");
  end(&e, out);
  dmd_out_str(out, is_cut ? "\n...</pre>\n\n</details>\n\n" : "</pre>\n\n</details>\n\n");
}

static void print_event(dmd_out_t *out, const dmdv_report_t *r, const dmdv_event_t *event) {
  print_event_name(out, event, dmdv_event_alarm(r->events, event, 0));
  print_next(out, r, event);
  dmd_out_str(out, "| series | change | | before | |\n|---|---:|---:|---:|---|\n");
  for (uint32_t i = 0; i < event->n && i < MAX_SERIES; i++)
    print_series(out, dmdv_event_alarm(r->events, event, i));
  dmd_out_char(out, '\n');
  if (event->n > MAX_SERIES) {
    dmd_out_str(out, "and ");
    dmd_print_count(out, event->n - MAX_SERIES, false, "more series", "more series");
    dmd_out_str(out, "\n\n");
  }
  print_changes(out, event);
}

void dmdv_report_markdown(dmd_out_t *out, dmdv_report_t *r) {
  uint32_t n = dmdv_events_count(r->events), n_shown = 0;
  dmd_escaped_t e;
  dmd_out_str(out, "### Memory: ");
  dmdv_report_verdict(begin(&e), r);
  end(&e, out);
  dmd_out_str(out, "\n\n");
  for (uint32_t i = n; i > 0 && n_shown < MAX_EVENTS; i--, n_shown++)
    print_event(out, r, dmdv_events_at(r->events, i - 1));
  if (n > n_shown) {
    dmd_out_str(out, "and ");
    dmd_print_count(out, n - n_shown, false, "earlier event", "earlier events");
    dmd_out_char(out, '\n');
  }
}
