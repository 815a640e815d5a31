/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_timeline.h: the heap over time, as a chart of 100 columns for terminals and as JSON.
 */
#ifndef DMD_SHOW_TEXT_TEXT_TIMELINE_H
#define DMD_SHOW_TEXT_TEXT_TIMELINE_H

#include "base/jsonout.h"
#include "model/profile/profile.h"

/* Two moments to compare. */
typedef struct dmd_timespan {
  dmd_timepoint_t from, to;
} dmd_timespan_t;

/* The profile has a timeline. is_utf8: the terminal shows block characters. */
void dmd_timeline_print(dmd_out_t *out, const dmd_profile_t *profile, const dmd_timespan_t *span,
                        bool is_utf8);
void dmd_timeline_json(dmd_jsonout_t *j, const dmd_profile_t *profile, const dmd_timespan_t *span);

/* `0.10 MB/s since 30.0 s; 92% of it at leak (leak.c:3)` after these words, and a line end. False,
 * and prints nothing, if the heap does not grow steadily (analyse/time/growth.h). */
bool dmd_print_growth(dmd_out_t *out, const char *before, const dmd_profile_t *profile);

#endif
