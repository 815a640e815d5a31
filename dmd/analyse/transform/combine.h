/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * combine.h: adds or subtracts the blocks of profiles.
 *
 * Reports, names and stacks are matched by text. The caller handles the mode and the description of
 * the run.
 */
#ifndef DMD_ANALYSE_TRANSFORM_COMBINE_H
#define DMD_ANALYSE_TRANSFORM_COMBINE_H

#include "model/profile/translate.h"

/* Adds the blocks of one profile to another's through a translation, which can be used further. */
void dmd_combine(dmd_translation_t *ids);

/* Fills an initialised, empty profile with the difference of two: old blocks count negatively, so
 * that sums over its groups are the changes. The groups of both are moved, not copied, to save
 * memory; the two have no groups afterwards. Equal groups are not merged, since they are only added
 * up. */
void dmd_difference(dmd_profile_t *difference, dmd_profile_t *old, dmd_profile_t *new);

/* Like dmd_difference, but leaves both profiles as they are. */
void dmd_difference_beside(dmd_profile_t *difference, const dmd_profile_t *old,
                           const dmd_profile_t *new);

#endif
