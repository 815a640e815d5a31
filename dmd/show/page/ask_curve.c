/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=curve&series=&branch=&moment=&environment=: one whole curve: {"series", "branch", "moment",
 * "environment", "lines": the environment as text, "unit", "least", "most", "points": [{"build",
 * "time", "value", "runs", "values", "of"}], "steps": [{the members of an alarm in dmdv history
 * check --json, "text", "headline", "bracket", "next", "at": {"since", "first", "earliest",
 * "latest"}, "after", "of", "old"}]}. Least and most are over all runs; if a build has several,
 * "values" lists them. "of" is the number of the file with the build's records; "at" has indices of
 * points.
 */
#include "base/str.h"
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/page/pagehistory.h"
#include "show/text/text_history.h"

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
