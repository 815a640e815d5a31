/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * referrers.h: which pointers lead to each node of a heap graph.
 *
 * A graph has the edges of each node together; here they stand by where they lead, those of one
 * node in the order in which the graph has them: pointers out of one block lie together, and blocks
 * are in the order of their addresses. The edges of DMD_GRAPH_ALL, which are no pointers, are left
 * out.
 *
 * Time and memory: one walk over the edges; 4 bytes for each node and each edge.
 *
 * Concurrency: nothing locks; the graph must stay as it is.
 */
#ifndef DMD_GRAPH_REFERRERS_H
#define DMD_GRAPH_REFERRERS_H

#include "graph/heapgraph.h"

typedef struct dmd_referrers {
  const dmd_graph_t *graph;
  uint32_t *first; /* by node, and one more: where its edges begin in */
  uint32_t *edges;
} dmd_referrers_t;

void dmd_referrers_init(dmd_referrers_t *referrers, const dmd_graph_t *graph);
void dmd_referrers_destroy(dmd_referrers_t *referrers);

/* How many pointers lead to a node, and the i-th of them, from 0: an edge. */
static inline uint32_t dmd_referrers_count(const dmd_referrers_t *referrers, uint32_t node) {
  return referrers->first[node + 1] - referrers->first[node];
}

static inline uint32_t dmd_referrers_edge(const dmd_referrers_t *referrers, uint32_t node,
                                          uint32_t i) {
  return referrers->edges[referrers->first[node] + i];
}

/* Pointers out of one node that lead to another: n of those that lead there, from `first` on. */
typedef struct dmd_referrer {
  uint32_t node;
  uint32_t first, n;
} dmd_referrer_t;

/* The next node with pointers to this one, behind *referrer, which is all 0 at first. picks: by
 * node, which of them count; NULL: all. False at the end. */
bool dmd_referrers_next(const dmd_referrers_t *referrers, uint32_t node, const bool *picks,
                        dmd_referrer_t *referrer);

/* Why a chain ends: what leads to its last node. */
typedef enum {
  DMD_CHAIN_NOT_FOLLOWED, /* nobody asked */
  DMD_CHAIN_NOTHING,
  DMD_CHAIN_SEVERAL, /* nodes */
  DMD_CHAIN_ROOT,
  DMD_CHAIN_LOOP, /* a block that is in the chain already */
  DMD_N_CHAIN_ENDS
} dmd_chain_end_t;

/* The word in JSON: "nothing", "several", "root", "loop". */
const char *dmd_chain_end_name(dmd_chain_end_t end);

/* A node, and behind each the only block that has pointers to it, as long as there is such a one.
 */
typedef struct dmd_refchain {
  dmd_pool_t nodes; /* uint32_t: from 1 on, the node that was asked for first */
  dmd_chain_end_t end;
} dmd_refchain_t;

/* follows: else the chain is the node alone. picks: as above. */
void dmd_refchain_init(dmd_refchain_t *chain, const dmd_heapgraph_t *graph,
                       const dmd_referrers_t *referrers, uint32_t node, const bool *picks,
                       bool follows);
void dmd_refchain_destroy(dmd_refchain_t *chain);

#endif
