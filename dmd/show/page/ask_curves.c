/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Queries about the curves of a history.
 *
 * ask=curves&branch=&moment=&environment=&q=: the series of a branch, moment and environment:
 * {"branch", "moment", "environment", "total", "rows": [{"series", "unit", "builds", "last",
 * "least", "most", "new", "columns": [[first, least, most]], "steps": [{"first", "state"}]}]},
 * sorted with new alarms first; first and count select a window. With brief=1 a row has only its
 * first three members. A column is a range of consecutive builds, from number `first` of the curve
 * on, with their least and largest value, so that a small picture gets no more than it can show.
 *
 * ask=curve&series=&branch=&moment=&environment=: one whole curve: {"series", "branch", "moment",
 * "environment", "lines": the environment as text, "unit", "least", "most", "points": [{"build",
 * "time", "value", "runs", "values", "of"}], "steps": [{the members of an alarm in dmdv history
 * check --json, "text", "headline", "bracket", "next", "at": {"since", "first", "earliest",
 * "latest"}, "after", "of", "old"}]}. Least and most are over all runs; if a build has several,
 * "values" lists them. "of" is the number of the file with the build's records; "at" has indices of
 * points.
 */
#include "base/sort.h"
#include "base/str.h"
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/page/pagehistory.h"
#include "show/text/text_history.h"

/* ---- All curves, in brief. ---- */

enum { ROWS = 60, COLUMNS = 120 };

static int64_t value_of(const dmd_history_t *h, const dmd_history_curve_t *curve, uint32_t i) {
  return (int64_t)dmd_history_mean(h, dmd_history_point(h, curve, i)).value;
}

typedef struct {
  int64_t least, most;
} range_t;

static range_t range_of(const dmd_history_t *h, const dmd_history_curve_t *curve, uint32_t first,
                        uint32_t end) {
  range_t range = {INT64_MAX, INT64_MIN};
  for (uint32_t i = first; i < end; i++) {
    int64_t v = value_of(h, curve, i);
    range.least = v < range.least ? v : range.least;
    range.most = v > range.most ? v : range.most;
  }
  return range;
}

static void write_columns(dmd_jsonout_t *j, const dmd_history_t *h,
                          const dmd_history_curve_t *curve) {
  uint32_t n = curve->n < COLUMNS ? curve->n : COLUMNS;
  dmd_jsonout_key(j, "columns");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (uint32_t column = 0; column < n; column++) {
    uint32_t first = (uint32_t)((uint64_t)curve->n * column / n),
             end = (uint32_t)((uint64_t)curve->n * (column + 1) / n);
    range_t range = range_of(h, curve, first, end);
    dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_u64(j, first);
    dmd_jsonout_i64(j, range.least);
    dmd_jsonout_i64(j, range.most);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

/* Alarms by curve; the alarms of one curve are a linked list. */
typedef struct {
  const dmd_history_t *history;
  uint32_t *first; /* by curve */
  uint32_t *next;  /* by alarm */
  uint32_t *n_new; /* by curve */
} alarms_t;

static void *zeros(const dmd_env_t *env, uint32_t last) {
  size_t szB = ((size_t)last + 1) * sizeof(uint32_t);
  void *array = dmd_env_alloc(env, "dmd.page", szB);
  dmd_mem_zero(array, szB);
  return array;
}

static void alarms_init(alarms_t *a, const dmd_history_t *h) {
  *a = (alarms_t){h, zeros(h->env, h->curves.last), zeros(h->env, h->alarms.last),
                  zeros(h->env, h->curves.last)};
  for (uint32_t id = h->alarms.last; id > 0; id--) {
    const dmd_history_alarm_t *alarm = dmd_history_alarm(h, id);
    a->next[id] = a->first[alarm->curve];
    a->first[alarm->curve] = id;
    a->n_new[alarm->curve] += alarm->state == DMD_ALARM_NEW;
  }
}

static void alarms_destroy(alarms_t *a) {
  dmd_env_free(a->history->env, a->n_new);
  dmd_env_free(a->history->env, a->next);
  dmd_env_free(a->history->env, a->first);
}

static void write_steps(dmd_jsonout_t *j, const alarms_t *a, uint32_t curve) {
  dmd_jsonout_key(j, "steps");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (uint32_t id = a->first[curve]; id != DMD_NONE; id = a->next[id]) {
    const dmd_history_alarm_t *alarm = dmd_history_alarm(a->history, id);
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_u64(j, "first", alarm->step.first);
    dmd_jsonout_key_str(j, "state", dmd_alarm_state_name(alarm->state));
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

static void write_picture(dmd_jsonout_t *j, const alarms_t *a, uint32_t id) {
  const dmd_history_t *h = a->history;
  const dmd_history_curve_t *curve = dmd_history_curve(h, id);
  range_t range = range_of(h, curve, 0, curve->n);
  dmd_answer_key_i64(j, "last", value_of(h, curve, curve->n - 1));
  dmd_answer_key_i64(j, "least", range.least);
  dmd_answer_key_i64(j, "most", range.most);
  dmd_jsonout_key_u64(j, "new", a->n_new[id]);
  write_columns(j, h, curve);
  write_steps(j, a, id);
}

/* is_brief: leaves out everything that needs a walk along the curve. */
static void write_row(dmd_jsonout_t *j, const alarms_t *a, uint32_t id, bool is_brief) {
  const dmd_history_t *h = a->history;
  const dmd_history_curve_t *curve = dmd_history_curve(h, id);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(j, "series", dmd_history_text(h, curve->name));
  dmd_jsonout_key_str(j, "unit", dmd_answer_unit(curve));
  dmd_jsonout_key_u64(j, "builds", curve->n);
  if (!is_brief)
    write_picture(j, a, id);
  dmd_jsonout_end(j);
}
/* Curves with new alarms first; then by kind, then by name. */
static int compare_curves(const void *ctx, uint32_t x, uint32_t y) {
  const alarms_t *a = ctx;
  const dmd_history_curve_t *p = dmd_history_curve(a->history, x),
                            *q = dmd_history_curve(a->history, y);
  bool p_new = a->n_new[x] > 0, q_new = a->n_new[y] > 0;
  if (p_new != q_new)
    return p_new ? -1 : 1;
  if (p->kind != q->kind)
    return p->kind < q->kind ? -1 : 1;
  return dmd_str_compare(dmd_history_text(a->history, p->name),
                         dmd_history_text(a->history, q->name));
}

static uint32_t *choose(const alarms_t *a, const dmd_line_t *line, const char *q, uint32_t *n) {
  const dmd_history_t *h = a->history;
  uint32_t *ids = zeros(h->env, h->curves.last);
  *n = 0;
  for (uint32_t id = 1; id <= h->curves.last; id++) {
    const dmd_history_curve_t *curve = dmd_history_curve(h, id);
    if (dmd_line_has(line, curve) &&
        (q == NULL || dmd_str_find(dmd_history_text(h, curve->name), q) != NULL))
      ids[(*n)++] = id;
  }
  dmd_sort(h->env, ids, *n, compare_curves, a);
  return ids;
}

bool dmd_ask_curves(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  const dmd_history_t *h = dmd_session_history(page, query);
  dmd_window_t window = dmd_window_read(query, ROWS);
  const char *q = dmd_query_str(query, "q", NULL);
  bool is_brief = dmd_query_flag(query, "brief");
  if (h == NULL || query->failed)
    return false;
  dmd_line_t line = dmd_session_line(h, query);
  if (query->failed)
    return false;
  alarms_t alarms;
  uint32_t n;
  alarms_init(&alarms, h);
  uint32_t *ids = choose(&alarms, &line, q, &n);
  window = dmd_window_of(window, n);
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  if (line.branch != DMD_NONE)
    dmd_answer_line(&j, h, &line);
  dmd_jsonout_key_u64(&j, "total", n);
  dmd_jsonout_key(&j, "rows");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  for (uint32_t i = window.first; i < window.end; i++)
    write_row(&j, &alarms, ids[i], is_brief);
  dmd_jsonout_end(&j);
  dmd_jsonout_end(&j);
  dmd_env_free(h->env, ids);
  alarms_destroy(&alarms);
  return true;
}

/* ---- One curve. ---- */

static void write_values(dmd_jsonout_t *j, const dmd_history_t *h,
                         const dmd_history_point_t *point) {
  dmd_jsonout_key(j, "values");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (uint32_t i = 0; i < point->n; i++)
    dmd_jsonout_i64(j, dmd_history_value(h, point, i));
  dmd_jsonout_end(j);
}

static void write_point(dmd_jsonout_t *j, const dmd_session_t *page,
                        const dmd_history_point_t *point, uint32_t kept) {
  const dmd_history_t *h = page->history;
  const dmd_history_build_t *build = dmd_history_build(h, point->build);
  dmd_point_t mean = dmd_history_mean(h, point);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_json_point(j, dmd_history_text(h, build->name), build->time, &mean);
  if (point->n > 1)
    write_values(j, h, point);
  if (kept != DMD_NONE)
    dmd_jsonout_key_u64(j, "of", dmd_session_file_of_kept(page, kept));
  dmd_jsonout_end(j);
}

static void write_points(dmd_jsonout_t *j, const dmd_session_t *page,
                         const dmd_history_curve_t *curve) {
  const dmd_history_t *h = page->history;
  uint32_t *along = dmd_history_kept_along(h, curve);
  dmd_jsonout_key(j, "points");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < curve->n; i++) {
    const dmd_history_point_t *point = dmd_history_point(h, curve, i);
    write_point(j, page, point, along[point->build]);
  }
  dmd_jsonout_end(j);
  dmd_env_free(h->env, along);
}

static void write_range(dmd_jsonout_t *j, const dmd_history_t *h,
                        const dmd_history_curve_t *curve) {
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (uint32_t i = 0; i < curve->n; i++) {
    const dmd_history_point_t *point = dmd_history_point(h, curve, i);
    for (uint32_t k = 0; k < point->n; k++) {
      int64_t v = dmd_history_value(h, point, k);
      least = v < least ? v : least;
      most = v > most ? v : most;
    }
  }
  dmd_answer_key_i64(j, "least", least);
  dmd_answer_key_i64(j, "most", most);
}

static void write_step(dmd_jsonout_t *j, const dmd_session_t *page, uint32_t id) {
  const dmd_history_t *h = page->history;
  const dmd_changepoint_t *step = &dmd_history_alarm(h, id)->step;
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_answer_alarm(j, h, id);
  dmd_answer_headline(j, h, id);
  dmd_answer_key_i64(j, "after", (int64_t)step->after);
  dmd_jsonout_key(j, "at");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "since", step->since);
  dmd_jsonout_key_u64(j, "first", step->first);
  dmd_jsonout_key_u64(j, "earliest", step->earliest);
  dmd_jsonout_key_u64(j, "latest", step->latest);
  dmd_jsonout_end(j);
  dmd_answer_step_files(j, page, id);
  dmd_jsonout_end(j);
}

static void write_curve(dmd_jsonout_t *j, const dmd_session_t *page, uint32_t id,
                        const dmd_line_t *line) {
  const dmd_history_t *h = page->history;
  const dmd_history_curve_t *curve = dmd_history_curve(h, id);
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(j, "series", dmd_history_text(h, curve->name));
  dmd_answer_line(j, h, line);
  dmd_jsonout_key_str(j, "lines", dmd_history_text(h, curve->environment));
  dmd_jsonout_key_str(j, "unit", dmd_answer_unit(curve));
  write_range(j, h, curve);
  write_points(j, page, curve);
  dmd_jsonout_key(j, "steps");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t alarm = 1; alarm <= h->alarms.last; alarm++)
    if (dmd_history_alarm(h, alarm)->curve == id)
      write_step(j, page, alarm);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

static uint32_t find_curve(const dmd_history_t *h, const dmd_line_t *line, const char *series) {
  for (uint32_t id = 1; id <= h->curves.last; id++) {
    const dmd_history_curve_t *curve = dmd_history_curve(h, id);
    if (dmd_line_has(line, curve) && dmd_str_equal(dmd_history_text(h, curve->name), series))
      return id;
  }
  return DMD_NONE;
}

bool dmd_ask_curve(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  const dmd_history_t *h = dmd_session_history(page, query);
  if (h == NULL)
    return false;
  const char *series = dmd_query_str(query, "series", dmd_metric_kind_name(DMD_METRIC_HEAP));
  dmd_line_t line = dmd_session_line(h, query);
  if (query->failed)
    return false;
  uint32_t id = find_curve(h, &line, series);
  if (id == DMD_NONE)
    return dmd_query_reject(query,
                            "there is no such series on this branch, at this moment, in "
                            "this environment",
                            series);
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  write_curve(&j, page, id, &line);
  return true;
}
