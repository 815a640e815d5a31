/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * backedges.h: members that lead back to what holds their block: `parent`, `prev`, `container`.
 *
 * Whether a way (kinds.h) is such a one is told from all pointers that go it: nine tenths of them,
 * or more, lead to a node that dominates their own. Ways of roots, and of nodes of which nothing
 * but many pointers is known, are none.
 *
 * Time in proportion to the edges, after dominators; memory: 8 bytes a node and an entry a way.
 */
#ifndef DMD_GRAPH_BACKEDGES_H
#define DMD_GRAPH_BACKEDGES_H

#include "graph/edgemask.h"
#include "graph/kinds.h"

/* Takes the edges of all such ways out of the graph. Returns how many they are. */
uint32_t dmd_backedges_take(dmd_edgemask_t *mask, const dmd_heapgraph_t *graph, dmd_kinds_t *kinds);

#endif
