/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * when.h: moments of a timeline by the names that people give them.
 *
 *   start     the start of the program or, in a forked process, the fork
 *   peak      the largest heap
 *   end       the dump
 *   #2        the second mark
 *   TEXT      the mark or the dump with this text or label
 *   1.5s      this long after the start of the program; also ms, min, h; a number alone: seconds
 *   12Mi      after so many instructions, if they were counted; also i, ki, Gi, Ti
 *
 * They are tried in this order. A moment between two points is the earlier point.
 */
#ifndef DMD_ANALYSE_TIME_WHEN_H
#define DMD_ANALYSE_TIME_WHEN_H

#include "model/profile/profile.h"

/* Sets *at to the moment that the text names; latest: the last one of several marks with this text.
 * False if it names none. The profile has a timeline. */
bool dmd_when_find(const dmd_profile_t *profile, const char *text, bool latest,
                   dmd_timepoint_t *at);

dmd_timepoint_t dmd_when_start(const dmd_profile_t *profile);
dmd_timepoint_t dmd_when_end(const dmd_profile_t *profile);

/* The largest heap: the recorded peak or, without one, the largest point. */
dmd_timepoint_t dmd_when_peak(const dmd_profile_t *profile);

#endif
