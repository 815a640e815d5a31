/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * nearest.h: from which root a block is reached.
 *
 * A block may be reached from many roots. Its nearest one is that from which the fewest pointers
 * lead to it. Of several equally near ones, variables and other data come before thread-local
 * storage, that before stacks, these before registers, and these before other memory; of one kind
 * the first. So what a variable holds is its own, though a function that works on it has a pointer
 * to it as well.
 */
#ifndef DMD_GRAPH_NEAREST_H
#define DMD_GRAPH_NEAREST_H

#include "graph/heapgraph.h"

/* By node: the nearest root's node, of a root itself, and DMD_GRAPH_ALL of what no root reaches.
 * The caller frees it. Time: in proportion to nodes and edges; 4 more bytes a node meanwhile. */
uint32_t *dmd_nearest_roots(const dmd_heapgraph_t *graph);

#endif
