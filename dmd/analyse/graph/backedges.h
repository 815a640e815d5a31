/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * backedges.h: finds members that point back to the owner of their block: `parent`, `prev`,
 * `container`.
 *
 * An edge label (kinds.h) is a back edge if at least nine tenths of its pointers lead to a node
 * that dominates their source. Labels of roots never are, nor is DMD_WAY_OF_MANY.
 *
 * Time: proportional to the edges, after dominators; memory: 8 bytes a node and an entry per label.
 */
#ifndef DMD_ANALYSE_GRAPH_BACKEDGES_H
#define DMD_ANALYSE_GRAPH_BACKEDGES_H

#include "analyse/graph/edgemask.h"
#include "analyse/graph/kinds.h"

/* Takes all edges with such labels out of the graph. Returns their number. */
uint32_t dmd_backedges_take(dmd_edgemask_t *mask, const dmd_heapgraph_t *graph, dmd_kinds_t *kinds);

#endif
