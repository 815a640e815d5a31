/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dominance.h: answers in constant time whether one node of a heap graph dominates another.
 *
 * Lost blocks count as reached (lost.h), so every node has a place. Time: that of dominators.h,
 * then a comparison per query. Memory: 8 bytes a node.
 */
#ifndef DMD_ANALYSE_GRAPH_DOMINANCE_H
#define DMD_ANALYSE_GRAPH_DOMINANCE_H

#include "model/graph/heapgraph.h"

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
