/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_history.h: alarms and curves of a history for people, and as JSON, for `dmdv history` and
 * for its page.
 */
#ifndef DMD_TEXT_TEXT_HISTORY_H
#define DMD_TEXT_TEXT_HISTORY_H

#include "analysis/alarm.h"
#include "base/format.h"
#include "base/jsonout.h"

/* "More since build b13 (after b12), loaded, main": what an event's alarms have in common, without
 * a line end. */
void dmd_text_event(dmd_out_t *out, const dmd_alarm_t *alarm);

/* Of one that is not certain: "The first build may be any from b11 to b13." */
void dmd_text_bracket(dmd_out_t *out, const dmd_alarm_t *alarm);

/* What to try next to find out: a build of the history once more, where n_commits is 0, or of so
 * many commits that may have done it the one to begin with. */
void dmd_text_next_build(dmd_out_t *out, const char *build, int64_t n_commits);

/* "heap: +1,030 bytes (1.00% of 103,000)": by how much, from what, and in per cent. */
void dmd_text_alarm(dmd_out_t *out, const dmd_alarm_t *alarm);

/* "refused: 3 new alarms in 12 series", or "passed: ...". */
void dmd_text_alarms_verdict(dmd_out_t *out, uint32_t n_new, uint32_t n_series);

/* The members that an alarm has, up to its records. */
void dmd_json_alarm(dmd_jsonout_t *j, const dmd_alarm_t *alarm);

/* A record of an alarm: what a stack, a frame a line, held more. */
void dmd_json_alarm_record(dmd_jsonout_t *j, const dmd_env_t *env, const char *frames,
                           int64_t delta);

/* Seconds since 1970 as base/format.h has them, or "before 1970". */
void dmd_text_time(char text[DMD_FORMAT_MAX], int64_t seconds);

/* The members that a point of a curve has. */
void dmd_json_point(dmd_jsonout_t *j, const char *build, int64_t seconds, const dmd_point_t *point);

#endif
