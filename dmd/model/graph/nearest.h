/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * nearest.h: the root that each block is reached from.
 *
 * A block may be reached from many roots; its nearest root is the one with the shortest path to it.
 * Among equally near ones, variables and other data come first, then thread-local storage, stacks,
 * registers, other memory; within a kind the first. So what a variable points to belongs to it,
 * even if a running function points to it as well.
 */
#ifndef DMD_MODEL_GRAPH_NEAREST_H
#define DMD_MODEL_GRAPH_NEAREST_H

#include "model/graph/heapgraph.h"

/* By node: the nearest root's node; for a root itself; DMD_GRAPH_ALL if unreachable. The caller
 * frees the array. Time: proportional to nodes and edges; 4 more bytes a node meanwhile. */
uint32_t *dmd_nearest_roots(const dmd_heapgraph_t *graph);

#endif
