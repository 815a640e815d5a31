/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_history.h"

#include "base/format.h"
#include "base/mem.h"
#include "show/text/print.h"

/* ---- For people. ---- */

void dmd_text_event(dmd_out_t *out, const dmd_alarm_t *alarm) {
  dmd_out_str(out, alarm->state == DMD_ALARM_IMPROVED ? "Less since build " : "More since build ");
  dmd_out_safe(out, alarm->first_build);
  dmd_out_str(out, " (after ");
  dmd_out_safe(out, alarm->after_build);
  dmd_out_str(out, "), ");
  dmd_out_safe(out, alarm->moment);
  dmd_out_str(out, ", ");
  dmd_out_safe(out, alarm->branch);
}

void dmd_text_bracket(dmd_out_t *out, const dmd_alarm_t *alarm) {
  dmd_out_str(out, "The first build may be any from ");
  dmd_out_safe(out, alarm->earliest);
  dmd_out_str(out, " to ");
  dmd_out_safe(out, alarm->latest);
  dmd_out_char(out, '.');
}

void dmd_text_next_build(dmd_out_t *out, const char *build, int64_t n_commits) {
  if (n_commits == 0) {
    dmd_out_str(out, "To know better, run build ");
    dmd_out_safe(out, build);
    dmd_out_str(out, " once more.");
    return;
  }
  dmd_print_count(out, n_commits, false, "commit", "commits");
  dmd_out_str(out, " may have done it; the one to try next is ");
  dmd_out_safe(out, build);
  dmd_out_char(out, '.');
}

void dmd_text_alarm(dmd_out_t *out, const dmd_alarm_t *alarm) {
  int64_t before = (int64_t)alarm->step.before, delta = dmd_alarm_delta(alarm);
  dmd_out_safe(out, alarm->name);
  dmd_out_str(out, alarm->step.is_slow ? ": slowly " : ": ");
  dmd_out_str(out, delta > 0 ? "+" : "");
  dmd_print_number(out, delta, false);
  dmd_out_str(out, alarm->kind == DMD_METRIC_FAULTS ? "" : " bytes");
  if (before != 0) {
    dmd_out_str(out, " (");
    dmd_print_percent(out, delta, before);
    dmd_out_str(out, " of ");
    dmd_print_number(out, before, false);
    dmd_out_str(out, ")");
  }
  if (alarm->reason[0] != '\0') {
    dmd_out_str(out, ", acknowledged: ");
    dmd_out_safe(out, alarm->reason);
  }
  if (alarm->fixed_build[0] != '\0') {
    dmd_out_str(out, ", fixed with build ");
    dmd_out_safe(out, alarm->fixed_build);
  }
}

void dmd_text_alarms_verdict(dmd_out_t *out, uint32_t n_new, uint32_t n_series) {
  dmd_out_str(out, n_new > 0 ? "refused: " : "passed: ");
  dmd_print_count(out, n_new, false, "new alarm", "new alarms");
  dmd_out_str(out, " in ");
  dmd_print_count(out, n_series, false, "series", "series");
}

void dmd_text_too_early(dmd_out_t *out, uint32_t n_builds, uint32_t needed) {
  dmd_print_count(out, n_builds, false, "build is", "builds are");
  dmd_out_str(out, " too few to find a step; at least ");
  dmd_print_number(out, needed, false);
  dmd_out_str(out, " are needed, or fewer with several runs each");
}

void dmd_text_time(char text[DMD_FORMAT_MAX], int64_t seconds) {
  if (seconds < 0)
    dmd_mem_copy(text, "before 1970", sizeof "before 1970");
  else
    dmd_format_time(text, (uint64_t)seconds);
}

/* ---- As JSON. ---- */

void dmd_json_alarm(dmd_jsonout_t *j, const dmd_alarm_t *alarm) {
  dmd_jsonout_key_str(j, "series", alarm->name);
  dmd_jsonout_key_str(j, "moment", alarm->moment);
  dmd_jsonout_key_str(j, "environment", alarm->environment);
  dmd_jsonout_key_str(j, "branch", alarm->branch);
  dmd_jsonout_key_str(j, "first_build", alarm->first_build);
  dmd_jsonout_key_str(j, "after_build", alarm->after_build);
  dmd_jsonout_key_str(j, "earliest_build", alarm->earliest);
  dmd_jsonout_key_str(j, "latest_build", alarm->latest);
  dmd_jsonout_key_bool(j, "slow", alarm->step.is_slow);
  dmd_jsonout_key(j, "delta");
  dmd_jsonout_i64(j, dmd_alarm_delta(alarm));
  dmd_jsonout_key(j, "before");
  dmd_jsonout_i64(j, (int64_t)alarm->step.before);
  dmd_jsonout_key_str(j, "state", dmd_alarm_state_name(alarm->state));
  if (alarm->reason[0] != '\0')
    dmd_jsonout_key_str(j, "reason", alarm->reason);
  if (alarm->fixed_build[0] != '\0')
    dmd_jsonout_key_str(j, "fixed_build", alarm->fixed_build);
}

static void write_frames(dmd_jsonout_t *j, const dmd_env_t *env, const char *frames) {
  dmd_strbuf_t frame;
  dmd_strbuf_init(&frame, env);
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  while (*frames != '\0') {
    size_t n = 0;
    while (frames[n] != '\0' && frames[n] != '\n')
      n++;
    dmd_strbuf_cut(&frame, 0);
    dmd_strbuf_bytes(&frame, frames, n);
    dmd_jsonout_str(j, frame.text);
    frames += n + (frames[n] == '\n');
  }
  dmd_jsonout_end(j);
  dmd_strbuf_destroy(&frame);
}

void dmd_json_alarm_record(dmd_jsonout_t *j, const dmd_env_t *env, const char *frames,
                           int64_t delta) {
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key(j, "delta");
  dmd_jsonout_i64(j, delta);
  dmd_jsonout_key(j, "frames");
  write_frames(j, env, frames);
  dmd_jsonout_end(j);
}

void dmd_json_point(dmd_jsonout_t *j, const char *build, int64_t seconds,
                    const dmd_point_t *point) {
  char time[DMD_FORMAT_MAX];
  dmd_text_time(time, seconds);
  dmd_jsonout_key_str(j, "build", build);
  dmd_jsonout_key_str(j, "time", time);
  dmd_jsonout_key(j, "value");
  dmd_jsonout_i64(j, (int64_t)point->value);
  dmd_jsonout_key(j, "runs");
  dmd_jsonout_u64(j, point->n_runs);
}
