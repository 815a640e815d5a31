/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lostprofile.h: what a heap graph's leak check finds lost, as a profile.
 *
 * So limits, ignore files and records of what is behind a finding (analysis/gate.h, causes.h) work
 * on leaks as they do on reports.
 */
#ifndef DMD_GRAPH_LOSTPROFILE_H
#define DMD_GRAPH_LOSTPROFILE_H

#include "graph/leaks.h"

/* Adds the definitely and the indirectly lost blocks to a profile, with their requested bytes, as
 * blocks that nobody reported. */
void dmd_leaks_add_lost(dmd_profile_t *profile, const dmd_leaks_t *leaks);

#endif
