/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * historyprofile.h: what a history keeps of a build, as a profile, so that it is looked at and
 * compared like any other.
 *
 * A history has bytes and blocks by stack and section. So a stack's blocks share its bytes as
 * evenly as they can, what was reported was so by nobody who is known, and there are no tags, no
 * threads, no faults and no memory reports. Stacks read as they did when their figures last
 * changed, so that their lines may be those of another build.
 */
#ifndef DMD_ANALYSIS_HISTORYPROFILE_H
#define DMD_ANALYSIS_HISTORYPROFILE_H

#include "analysis/history.h"
#include "profile/profile.h"

/* Fills an initialised, empty profile. NULL, or what is wrong with the history. */
const char *dmd_history_fill(dmd_profile_t *profile, const dmd_history_t *history, uint32_t kept);

#endif
