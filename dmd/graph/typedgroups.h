/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * typedgroups.h: the blocks of a heap graph as groups of a profile that differ in their types, so
 * that whatever is computed of profiles can be computed by type, too.
 *
 * A block's type is that of census (nodekeys.h), and its bytes are as it counts them (nesting.h).
 *
 * Cost: a walk over the blocks, which are put in the order of their types first: 8 bytes a block.
 */
#ifndef DMD_GRAPH_TYPEDGROUPS_H
#define DMD_GRAPH_TYPEDGROUPS_H

#include "analysis/grouptypes.h"
#include "graph/nodekeys.h"

/* Adds all blocks to a profile that has no other groups than such, each counting `sign`: 1, or -1
 * for what a difference is made from. types: of these groups. dmd_groups_finish is the caller's. */
void dmd_typedgroups_add(dmd_profile_t *profile, dmd_grouptypes_t *types, dmd_nodekeys_t *keys,
                         int sign);

#endif
