/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dominators.h: which node alone keeps which nodes reachable.
 *
 * Node a dominates node b when every path from the root to b leads through a: take a away, and b
 * goes with it. The nearest such a, b itself aside, is b's immediate dominator; these make a tree,
 * and what hangs below a node in it is what the node retains. Nodes that the root does not reach
 * have no dominator.
 *
 * The algorithm is semi-NCA (Georgiadis, Linear-Time Algorithms for Dominators and Related
 * Problems, 2005): exact, n log n at worst and close to linear on graphs of heaps, without
 * recursion. Two things keep it small and fast: nodes are numbered in the order in which the
 * depth-first search reaches them, so that what is near in the search is near in memory; and of all
 * edges only those that lead back to a smaller number are stored once more, since of the others
 * only the smallest source counts.
 *
 * Memory while it runs: 24 bytes a node and 33 bits for each edge that leads back; afterwards 8
 * bytes a node, and 8 more once retained sizes are there.
 */
#ifndef DMD_GRAPH_DOMINATORS_H
#define DMD_GRAPH_DOMINATORS_H

#include "graph/graph.h"

/* The immediate dominator of a node that has none: the root, and what it does not reach. */
#define DMD_NO_DOMINATOR UINT32_MAX

typedef struct dmd_dominators {
  const dmd_env_t *env;
  uint32_t n_reached; /* nodes that the root reaches, itself included */
  uint32_t *order;    /* n_reached nodes: dominators before what they dominate */
  uint32_t *idom;     /* by node */
  uint64_t *retained; /* by node; NULL before dmd_dominators_measure */
} dmd_dominators_t;

/* As if the root, too, had edges to n nodes to start from, in any order. The graph must have at
 * least one node. */
void dmd_dominators_init(dmd_dominators_t *dominators, const dmd_graph_t *graph,
                         const uint32_t *starts, uint32_t n_starts);
/* The same in less memory: the graph's offsets are packed meanwhile. */
void dmd_dominators_init_packed(dmd_dominators_t *dominators, dmd_graph_t *graph,
                                const uint32_t *starts, uint32_t n_starts);
void dmd_dominators_destroy(dmd_dominators_t *dominators);

/* Finds what each reached node retains: its size in the graph and those of all that it dominates.
 */
void dmd_dominators_measure(dmd_dominators_t *dominators, const dmd_graph_t *graph);

/* The same of other sizes: makes of each reached node's own size, by node, what it retains. */
void dmd_dominators_sum(const dmd_dominators_t *dominators, uint64_t *sizes);

#endif
