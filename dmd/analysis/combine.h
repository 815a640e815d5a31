/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * combine.h: adds one profile's blocks to another's, or takes them away.
 *
 * Reports, names and stacks are matched by their text. The mode and everything about the run is the
 * caller's affair.
 */
#ifndef DMD_ANALYSIS_COMBINE_H
#define DMD_ANALYSIS_COMBINE_H

#include "profile/translate.h"

/* Adds the blocks of one profile to another's, by a translation between the two; the translation
 * can be used further. */
void dmd_combine(dmd_translation_t *ids);

/* Makes an initialised, empty profile of what changed between two: the old blocks count negatively,
 * so that sums of its groups are what changed. The groups of both are moved into it, so that it
 * takes no more memory than they had; the two have none afterwards. Groups that are equal stay
 * apart, since they are only ever added up. */
void dmd_difference(dmd_profile_t *difference, dmd_profile_t *old, dmd_profile_t *new);

/* The same of two that keep what they have. */
void dmd_difference_beside(dmd_profile_t *difference, const dmd_profile_t *old,
                           const dmd_profile_t *new);

#endif
