/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * combine.h: adds one profile's blocks to another, or takes them away.
 *
 * A difference is a profile in which the old blocks count negatively: sums of its groups are what
 * changed. Reports, names and stacks are matched by their text.
 */
#ifndef DMD_ANALYSIS_COMBINE_H
#define DMD_ANALYSIS_COMBINE_H

#include "profile/translate.h"

/* Adds the blocks of from, or with negate their negative, to those of to. The mode and everything
 * about the run is the caller's affair. */
void dmd_combine(dmd_profile_t *to, const dmd_profile_t *from, bool negate);

/* The same with a translation from one to the other, which may then take over more. */
void dmd_combine_blocks(dmd_translation_t *ids, bool negate);

#endif
