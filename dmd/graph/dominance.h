/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dominance.h: whether one node of a heap graph dominates another, at once.
 *
 * Lost blocks count as reached (lost.h), so that every node is somewhere.
 *
 * Time: dominators' (dominators.h), then a comparison a question. Memory: 8 bytes a node.
 */
#ifndef DMD_GRAPH_DOMINANCE_H
#define DMD_GRAPH_DOMINANCE_H

#include "graph/heapgraph.h"

typedef struct dmd_dominance {
  const dmd_env_t *env;
  uint32_t *begin; /* by node: its number in an order in which what a node dominates follows it */
  uint32_t *count; /* by node: itself and how many it dominates */
} dmd_dominance_t;

/* edges: the graph's, whose offsets are packed meanwhile. */
void dmd_dominance_init(dmd_dominance_t *dominance, const dmd_heapgraph_t *graph,
                        dmd_graph_t *edges);
void dmd_dominance_destroy(dmd_dominance_t *dominance);

/* Whether every path to `node` goes through `above`, another one. */
static inline bool dmd_dominance_is(const dmd_dominance_t *dominance, uint32_t above,
                                    uint32_t node) {
  return above != node &&
         dominance->begin[node] - dominance->begin[above] < dominance->count[above];
}

#endif
