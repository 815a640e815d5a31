/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * claimgraph.h: adds the claims of a heap graph to cases, with the sizes and the parts of their
 * objects.
 *
 * Stacks and registers are no owners here: what a function is working on when it asks for a size,
 * or frees the object, would else belong to nobody. A part of an object is the blocks of one kind
 * that members of one name lead to; in referrers of unknown type offsets do not count as names.
 * What an object retains through another object with claims are parts of their own.
 *
 * Cost: that of retained.h; then for each claim the number of blocks that its object retains, with
 * their pointers.
 */
#ifndef DMD_ANALYSE_CLAIMS_CLAIMGRAPH_H
#define DMD_ANALYSE_CLAIMS_CLAIMGRAPH_H

#include "analyse/claims/claimcases.h"
#include "analyse/graph/retained.h"

/* file: the number of the graph. picks: by node, the objects whose claims count; NULL: all.
 * Temporarily takes edges out of the graph. */
void dmd_claimcases_add_graph(dmd_claimcases_t *cases, dmd_heapgraph_t *graph, dmd_kinds_t *kinds,
                              uint32_t file, const bool *picks);

#endif
