/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/answer.h"
#include "show/page/pagehistory.h"
#include "show/text/text_history.h"

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
