/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lostprofile.h: turns the result of a heap graph's leak check into a profile, so that limits,
 * ignore files and records of findings (analyse/limits/gate.h, gate.h) work on leaks as they do
 * on reports.
 */
#ifndef DMD_ANALYSE_GRAPH_LOSTPROFILE_H
#define DMD_ANALYSE_GRAPH_LOSTPROFILE_H

#include "analyse/graph/leaks.h"

/* Adds the definitely and the indirectly lost blocks to a profile as unreported blocks, with their
 * requested bytes. */
void dmd_leaks_add_lost(dmd_profile_t *profile, const dmd_leaks_t *leaks);

#endif
