/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_history.h: alarms and curves of a history as text and as JSON, for `dmdv history` and its
 * page.
 */
#ifndef DMD_SHOW_TEXT_TEXT_HISTORY_H
#define DMD_SHOW_TEXT_TEXT_HISTORY_H

#include "analyse/history/changepoints.h"
#include "base/format.h"
#include "base/jsonout.h"

/* "More since build b13 (after b12), loaded, main": the common part of an event's alarms, without a
 * line end. */
void dmd_text_event(dmd_out_t *out, const dmd_alarm_t *alarm);

/* For an alarm that is not certain: "The first build may be any from b11 to b13." */
void dmd_text_bracket(dmd_out_t *out, const dmd_alarm_t *alarm);

/* What to try next: if n_commits is 0, running a build of the history again; else the commit to
 * test first among n_commits that may be the cause. */
void dmd_text_next_build(dmd_out_t *out, const char *build, int64_t n_commits);

/* "heap: +1,030 bytes (1.00% of 103,000)": difference, percentage and old value. */
void dmd_text_alarm(dmd_out_t *out, const dmd_alarm_t *alarm);

/* "refused: 3 new alarms in 12 series", or "passed: ...". */
void dmd_text_alarms_verdict(dmd_out_t *out, uint32_t n_new, uint32_t n_series);

/* Why no step can be found yet: "5 builds are too few to find a step; at least 13 are needed, or
 * fewer with several runs each". */
void dmd_text_too_early(dmd_out_t *out, uint32_t n_builds, uint32_t needed);

/* The members of an alarm, up to its records. */
void dmd_json_alarm(dmd_jsonout_t *j, const dmd_alarm_t *alarm);

/* A record of an alarm: the growth of a stack, which has one frame per line. */
void dmd_json_alarm_record(dmd_jsonout_t *j, const dmd_env_t *env, const char *frames,
                           int64_t delta);

/* Seconds since 1970 as formatted by base/format.h, or "before 1970". */
void dmd_text_time(char text[DMD_FORMAT_MAX], int64_t seconds);

/* The members of a point of a curve. */
void dmd_json_point(dmd_jsonout_t *j, const char *build, int64_t seconds, const dmd_point_t *point);

#endif
