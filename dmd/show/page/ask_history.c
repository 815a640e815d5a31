/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Queries about a history as a whole.
 *
 * ask=history: {"name", "builds", "measured", "kept", "curves", "verdict", "new", "branches",
 * "moments", "environments": the choices, by name, "line": {"branch", "moment", "environment"}: the
 * default choice, "total", "events": [{"headline", "bracket", "next", "line", "of", "old",
 * "alarms": [the members of each in dmdv history check --json, and "text"]}]}: what happened to the
 * metrics. first and count select a window of the events, which are sorted with new ones first,
 * then the latest first. "measured" counts a build once for each moment and environment, "kept"
 * those with records; "of" and "old" are the numbers of the files of the change point's first build
 * and the build before, if they are there.
 */
#include "base/sort.h"
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/page/pagehistory.h"
#include "show/text/text_history.h"

/* ---- Shared by answers about a history. ---- */

const char *dmd_answer_unit(const dmd_history_curve_t *curve) {
  return curve->kind == DMD_METRIC_FAULTS ? "faults" : "bytes";
}

void dmd_answer_line(dmd_jsonout_t *j, const dmd_history_t *h, const dmd_line_t *line) {
  uint32_t n, *list = dmd_session_environments(h, &n), i = 0;
  dmd_jsonout_key_str(j, "branch", dmd_history_text(h, line->branch));
  dmd_jsonout_key_str(j, "moment", dmd_history_text(h, line->moment));
  while (i < n && list[i] != line->environment)
    i++;
  dmd_jsonout_key_u64(j, "environment", i);
  dmd_env_free(h->env, list);
}

void dmd_answer_alarm(dmd_jsonout_t *j, const dmd_history_t *h, uint32_t id) {
  const dmd_history_alarm_t *alarm = dmd_history_alarm(h, id);
  const dmd_alarm_t told = dmd_history_told(h, id);
  dmd_printed_t printed;
  dmd_json_alarm(j, &told);
  dmd_jsonout_key(j, "records");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < alarm->n; i++) {
    const dmd_history_changed_t *changed =
        DMD_POOL_AT(&h->changed, const dmd_history_changed_t, alarm->first + i);
    dmd_json_alarm_record(j, h->env, dmd_history_text(h, changed->frames), changed->delta);
  }
  dmd_jsonout_end(j);
  dmd_printed_init(&printed, h->env);
  dmd_text_alarm(&printed.out, &told);
  dmd_jsonout_key(j, "text");
  dmd_printed_end(&printed, j);
}

void dmd_answer_step_files(dmd_jsonout_t *j, const dmd_session_t *page, uint32_t id) {
  const dmd_history_t *h = page->history;
  const dmd_history_alarm_t *alarm = dmd_history_alarm(h, id);
  const dmd_history_curve_t *curve = dmd_history_curve(h, alarm->curve);
  const dmd_changepoint_t *step = &alarm->step;
  uint32_t before = step->is_slow ? step->since : step->first - 1;
  uint32_t *along = dmd_history_kept_along(h, curve);
  uint32_t of = along[dmd_history_point(h, curve, step->first)->build],
           old = along[dmd_history_point(h, curve, before)->build];
  dmd_env_free(h->env, along);
  if (of == DMD_NONE || old == DMD_NONE)
    return;
  dmd_jsonout_key_u64(j, "of", dmd_session_file_of_kept(page, of));
  dmd_jsonout_key_u64(j, "old", dmd_session_file_of_kept(page, old));
}

void dmd_answer_headline(dmd_jsonout_t *j, const dmd_history_t *h, uint32_t id) {
  const dmd_alarm_t alarm = dmd_history_told(h, id);
  dmd_printed_t printed;
  dmd_printed_init(&printed, h->env);
  dmd_text_event(&printed.out, &alarm);
  dmd_jsonout_key(j, "headline");
  dmd_printed_end(&printed, j);
  if (!dmd_alarm_is_certain(&alarm)) {
    dmd_printed_init(&printed, h->env);
    dmd_text_bracket(&printed.out, &alarm);
    dmd_jsonout_key(j, "bracket");
    dmd_printed_end(&printed, j);
  }
  const dmd_history_alarm_t *a = dmd_history_alarm(h, id);
  if (a->next != DMD_NONE) {
    dmd_printed_init(&printed, h->env);
    dmd_text_next_build(&printed.out, dmd_history_text(h, a->next), (int64_t)a->n_commits);
    dmd_jsonout_key(j, "next");
    dmd_printed_end(&printed, j);
  }
}

/* ---- The choices. ---- */

enum { EVENTS = 50 };

static void write_names(dmd_jsonout_t *j, const dmd_history_t *h, const char *key,
                        uint32_t (*of)(const dmd_history_curve_t *curve)) {
  size_t n = (size_t)dmd_intern_count(&h->texts) + 1;
  bool *is_known = dmd_env_alloc(h->env, "dmd.page", n * sizeof *is_known);
  dmd_mem_zero(is_known, n * sizeof *is_known);
  dmd_jsonout_key(j, key);
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= h->curves.last; id++) {
    uint32_t text = of(dmd_history_curve(h, id));
    if (!is_known[text])
      dmd_jsonout_str(j, dmd_history_text(h, text));
    is_known[text] = true;
  }
  dmd_jsonout_end(j);
  dmd_env_free(h->env, is_known);
}

static uint32_t branch_of(const dmd_history_curve_t *curve) {
  return curve->branch;
}

static uint32_t moment_of(const dmd_history_curve_t *curve) {
  return curve->moment;
}

static uint32_t environment_of(const dmd_history_curve_t *curve) {
  return curve->environment;
}

static void write_verdict(dmd_jsonout_t *j, const dmd_history_t *h) {
  uint32_t n_new = 0;
  dmd_printed_t printed;
  for (uint32_t id = 1; id <= h->alarms.last; id++)
    n_new += dmd_history_alarm(h, id)->state == DMD_ALARM_NEW;
  dmd_printed_init(&printed, h->env);
  dmd_text_alarms_verdict(&printed.out, n_new, h->curves.last);
  dmd_jsonout_key(j, "verdict");
  dmd_printed_end(&printed, j);
  dmd_jsonout_key_u64(j, "new", n_new);
}

/* ---- Events. ---- */

static void write_line(dmd_jsonout_t *j, const dmd_history_t *h, const dmd_line_t *line) {
  dmd_jsonout_key(j, "line");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_answer_line(j, h, line);
  dmd_jsonout_end(j);
}

static void write_line_of(dmd_jsonout_t *j, const dmd_history_t *h,
                          const dmd_history_curve_t *curve) {
  write_line(j, h, &(dmd_line_t){curve->branch, curve->moment, curve->environment});
}

static void write_event(dmd_jsonout_t *j, const dmd_session_t *page, uint32_t id, uint32_t end) {
  const dmd_history_t *h = page->history;
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_answer_headline(j, h, id);
  write_line_of(j, h, dmd_history_curve(h, dmd_history_alarm(h, id)->curve));
  dmd_answer_step_files(j, page, id);
  dmd_jsonout_key(j, "alarms");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (; id < end; id++) {
    dmd_jsonout_object(j, DMD_JSONOUT_LINES);
    dmd_answer_alarm(j, h, id);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

/* The end of the event that begins with this alarm. */
static uint32_t end_of_event(const dmd_history_t *h, uint32_t id) {
  const dmd_alarm_t first = dmd_history_told(h, id);
  for (id++; id <= h->alarms.last; id++) {
    const dmd_alarm_t told = dmd_history_told(h, id);
    if (!dmd_alarm_is_one_event(&first, &told))
      break;
  }
  return id;
}

/* Events, each by its first alarm. */
typedef struct {
  const dmd_history_t *history;
  uint32_t *first; /* alarms */
  uint32_t n;
} events_t;

static void find_events(events_t *events, const dmd_history_t *h) {
  *events = (events_t){.history = h};
  events->first =
      dmd_env_alloc(h->env, "dmd.page", ((size_t)h->alarms.last + 1) * sizeof *events->first);
  for (uint32_t id = 1; id <= h->alarms.last; id = end_of_event(h, id))
    events->first[events->n++] = id;
}

static bool has_new(const dmd_history_t *h, uint32_t id) {
  bool any = false;
  for (uint32_t end = end_of_event(h, id); id < end; id++)
    any |= dmd_history_alarm(h, id)->state == DMD_ALARM_NEW;
  return any;
}

static int64_t time_of(const dmd_history_t *h, uint32_t id) {
  const dmd_history_alarm_t *alarm = dmd_history_alarm(h, id);
  const dmd_history_curve_t *curve = dmd_history_curve(h, alarm->curve);
  return dmd_history_build(h, dmd_history_point(h, curve, alarm->step.first)->build)->time;
}

/* New events first, then by time, the latest first. */
static int compare_events(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_history_t *h = ctx;
  bool x_new = has_new(h, a), y_new = has_new(h, b);
  int64_t x = time_of(h, a), y = time_of(h, b);
  return x_new != y_new ? (x_new ? -1 : 1) : (x < y) - (x > y);
}

static void write_events(dmd_jsonout_t *j, const dmd_session_t *page, dmd_window_t window) {
  const dmd_history_t *h = page->history;
  events_t events;
  find_events(&events, h);
  dmd_sort(h->env, events.first, events.n, compare_events, h);
  window = dmd_window_of(window, events.n);
  dmd_jsonout_key(j, "events");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = window.first; i < window.end; i++)
    write_event(j, page, events.first[i], end_of_event(h, events.first[i]));
  dmd_jsonout_end(j);
  dmd_jsonout_key_u64(j, "total", events.n);
  dmd_env_free(h->env, events.first);
}

/* ---- The answer. ---- */

bool dmd_ask_history(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  const dmd_history_t *h = dmd_session_history(page, query);
  dmd_window_t window = dmd_window_read(query, EVENTS);
  if (h == NULL || query->failed)
    return false;
  dmd_line_t line = dmd_session_line(h, query);
  if (query->failed)
    return false;
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(&j, "name", dmd_history_text(h, h->name));
  dmd_jsonout_key_u64(&j, "builds", h->builds.last);
  dmd_jsonout_key_u64(&j, "measured", dmd_history_measured(h));
  dmd_jsonout_key_u64(&j, "kept", h->kept.last);
  dmd_jsonout_key_u64(&j, "curves", h->curves.last);
  write_verdict(&j, h);
  write_names(&j, h, "branches", branch_of);
  write_names(&j, h, "moments", moment_of);
  write_names(&j, h, "environments", environment_of);
  if (line.branch != DMD_NONE)
    write_line(&j, h, &line);
  write_events(&j, page, window);
  dmd_jsonout_end(&j);
  return true;
}
