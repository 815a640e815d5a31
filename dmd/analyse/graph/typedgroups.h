/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * typedgroups.h: turns the blocks of a heap graph into groups of a profile, separate by type, so
 * that any analysis of profiles also works by type.
 *
 * Types and byte counts of blocks are those of the census (nodekeys.h, nesting.h). Cost: a walk
 * over the blocks, sorted by type: 8 bytes a block.
 */
#ifndef DMD_ANALYSE_GRAPH_TYPEDGROUPS_H
#define DMD_ANALYSE_GRAPH_TYPEDGROUPS_H

#include "analyse/graph/nodekeys.h"
#include "analyse/records/record.h"

/* Adds all blocks to a profile that has only such groups. Each block counts `sign`: 1, or -1 for
 * the baseline of a difference. types: receives the types of these groups. The caller calls
 * dmd_groups_finish. */
void dmd_typedgroups_add(dmd_profile_t *profile, dmd_grouptypes_t *types, dmd_nodekeys_t *keys,
                         int sign);

#endif
