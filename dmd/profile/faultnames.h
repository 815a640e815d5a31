/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * faultnames.h: one mistake in the code that handles a hundred thousand names.
 *
 * A program may make a reporter for each of its documents. One line that is wrong is then as many
 * faults, of one kind and with equal stacks and reasons, which differ in names only. Here they
 * become one fault, with the number of its names and the first of them.
 */
#ifndef DMD_PROFILE_FAULTNAMES_H
#define DMD_PROFILE_FAULTNAMES_H

#include "profile/fault.h"

/* Joins what differs in nothing but names and numbers, where that is more than DMD_FAULT_NAMES
 * faults. What they are about, reporters or, if scopes were left open, scopes, is counted, and the
 * first names are kept. Other names stay where all have the same. Ids change; the order of first
 * sight stays. Linear. */
void dmd_faults_join_names(dmd_faults_t *faults);

#endif
