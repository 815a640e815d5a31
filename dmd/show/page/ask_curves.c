/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=curves&branch=&moment=&environment=&q=: the series of a branch, moment and environment:
 * {"branch", "moment", "environment", "total", "rows": [{"series", "unit", "builds", "last",
 * "least", "most", "new", "columns": [[first, least, most]], "steps": [{"first", "state"}]}]},
 * sorted with new alarms first; first and count select a window. With brief=1 a row has only its
 * first three members. A column is a range of consecutive builds, from number `first` of the curve
 * on, with their least and largest value, so that a small picture gets no more than it can show.
 */
#include "base/sort.h"
#include "base/str.h"
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/page/pagehistory.h"

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
