/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * faultnames.h: merges faults of one mistake in code that handles many names.
 *
 * A program may make a reporter for each of its documents. One wrong line then causes as many
 * faults, of one kind and with equal stacks and reasons, which differ only in names. They become
 * one fault with the number of its names and the first of them.
 */
#ifndef DMD_MODEL_PROFILE_FAULTNAMES_H
#define DMD_MODEL_PROFILE_FAULTNAMES_H

#include "model/profile/fault.h"

/* Merges faults that differ only in names and numbers, if there are more than DMD_FAULT_NAMES of
 * them. Counts the reporters or, for scopes left open, the scopes, and keeps the first names. Other
 * names stay if all have the same. Ids change, but their order stays. Linear. */
void dmd_faults_join_names(dmd_faults_t *faults);

#endif
