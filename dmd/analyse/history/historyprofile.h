/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * historyprofile.h: turns a build's data in a history into a profile, so that it can be viewed and
 * compared like any other.
 *
 * A history has bytes and blocks by stack and section. So the blocks of a stack share its bytes as
 * evenly as possible, reports have no known reporter, and there are no tags, threads, faults or
 * memory reports. Stacks are stored as of their last change, so lines may be those of another
 * build.
 */
#ifndef DMD_ANALYSE_HISTORY_HISTORYPROFILE_H
#define DMD_ANALYSE_HISTORY_HISTORYPROFILE_H

#include "analyse/history/history.h"
#include "model/profile/profile.h"

/* Fills an initialised, empty profile. Returns NULL, or what is wrong with the history. */
const char *dmd_history_fill(dmd_profile_t *profile, const dmd_history_t *history, uint32_t kept);

#endif
