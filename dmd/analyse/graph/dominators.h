/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dominators.h: the dominator tree and retained sizes of a graph.
 *
 * Node a dominates node b if every path from the root to b leads through a: without a, b would be
 * unreachable. The nearest dominator of b, other than b itself, is its immediate dominator.
 * Immediate dominators form a tree, and a node retains the nodes below it in the tree. Nodes that
 * the root does not reach have no dominator.
 *
 * The algorithm is semi-NCA (Georgiadis, Linear-Time Algorithms for Dominators and Related
 * Problems, 2005): exact, n log n at worst and close to linear on heap graphs, without recursion.
 *
 * Memory: while it runs 24 bytes a node and 33 bits for each edge that leads back; afterwards 8
 * bytes a node, and 8 more for retained sizes.
 */
#ifndef DMD_ANALYSE_GRAPH_DOMINATORS_H
#define DMD_ANALYSE_GRAPH_DOMINATORS_H

#include "model/graph/heapgraph.h"

/* The immediate dominator of the root and of unreached nodes. */
#define DMD_NO_DOMINATOR UINT32_MAX

typedef struct dmd_dominators {
  const dmd_env_t *env;
  uint32_t n_reached; /* nodes that the root reaches, including itself */
  uint32_t *order;    /* n_reached nodes, dominators first */
  uint32_t *idom;     /* by node */
  uint64_t *retained; /* by node; NULL before dmd_dominators_measure */
} dmd_dominators_t;

/* Treats the root as if it also had edges to n_starts nodes, in any order. The graph must have at
 * least one node. */
void dmd_dominators_init(dmd_dominators_t *dominators, const dmd_graph_t *graph,
                         const uint32_t *starts, uint32_t n_starts);
/* Needs less memory, since the graph's offsets are packed meanwhile. */
void dmd_dominators_init_packed(dmd_dominators_t *dominators, dmd_graph_t *graph,
                                const uint32_t *starts, uint32_t n_starts);
void dmd_dominators_destroy(dmd_dominators_t *dominators);

/* Computes what each reached node retains: its own size in the graph plus those of all nodes that
 * it dominates. */
void dmd_dominators_measure(dmd_dominators_t *dominators, const dmd_graph_t *graph);

/* Does so for other sizes: replaces each reached node's own size, by node, by what it retains. */
void dmd_dominators_sum(const dmd_dominators_t *dominators, uint64_t *sizes);

/* ---- Dominance. ----
 *
 * Answers in constant time whether one node of a heap graph dominates another.
 *
 * Lost blocks count as reached (leaks.h), so every node has a place. Time: that of the dominators,
 * then a comparison per query. Memory: 8 bytes a node. */

typedef struct dmd_dominance {
  const dmd_env_t *env;
  uint32_t *begin; /* by node: its number in a preorder of the dominator tree */
  uint32_t *count; /* by node: size of its subtree */
} dmd_dominance_t;

/* edges: those of the graph, whose offsets are packed meanwhile. */
void dmd_dominance_init(dmd_dominance_t *dominance, const dmd_heapgraph_t *graph,
                        dmd_graph_t *edges);
void dmd_dominance_destroy(dmd_dominance_t *dominance);

/* True if every path to `node` goes through `above`, a different node. */
static inline bool dmd_dominance_is(const dmd_dominance_t *dominance, uint32_t above,
                                    uint32_t node) {
  return above != node &&
         dominance->begin[node] - dominance->begin[above] < dominance->count[above];
}

#endif
