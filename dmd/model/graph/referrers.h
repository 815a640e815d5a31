/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * referrers.h: the incoming pointers of each node of a heap graph.
 *
 * A transposed edge list: the edges to one node are contiguous, in the order of the graph: by
 * address of the referring block, then by position in it. The edges of DMD_GRAPH_ALL, which are not
 * pointers, are left out.
 *
 * Time and memory: one walk over the edges; 4 bytes per node and edge. The graph must not change.
 */
#ifndef DMD_MODEL_GRAPH_REFERRERS_H
#define DMD_MODEL_GRAPH_REFERRERS_H

#include "model/graph/heapgraph.h"

typedef struct dmd_referrers {
  const dmd_graph_t *graph;
  uint32_t *first; /* by node, plus one at the end: start of its edges in */
  uint32_t *edges;
} dmd_referrers_t;

void dmd_referrers_init(dmd_referrers_t *referrers, const dmd_graph_t *graph);
void dmd_referrers_destroy(dmd_referrers_t *referrers);

/* The number of pointers to a node, and the i-th of them, from 0: an edge. */
static inline uint32_t dmd_referrers_count(const dmd_referrers_t *referrers, uint32_t node) {
  return referrers->first[node + 1] - referrers->first[node];
}

static inline uint32_t dmd_referrers_edge(const dmd_referrers_t *referrers, uint32_t node,
                                          uint32_t i) {
  return referrers->edges[referrers->first[node] + i];
}

/* A node with pointers to another: n of that one's incoming pointers, from `first` on. */
typedef struct dmd_referrer {
  uint32_t node;
  uint32_t first, n;
} dmd_referrer_t;

/* Iterates over the nodes with pointers to this one. *referrer: the previous result, initially
 * zero. picks: by node, which of them count; NULL: all. Returns false at the end. */
bool dmd_referrers_next(const dmd_referrers_t *referrers, uint32_t node, const bool *picks,
                        dmd_referrer_t *referrer);

/* Why a chain ends: what points to its last node. */
typedef enum {
  DMD_CHAIN_NOT_FOLLOWED, /* not requested */
  DMD_CHAIN_NOTHING,
  DMD_CHAIN_SEVERAL, /* nodes */
  DMD_CHAIN_ROOT,
  DMD_CHAIN_LOOP, /* a block that is already in the chain */
  DMD_N_CHAIN_ENDS
} dmd_chain_end_t;

/* The word in JSON: "nothing", "several", "root", "loop". */
const char *dmd_chain_end_name(dmd_chain_end_t end);

/* A node, followed by its only referrer, the only referrer of that, and so on. */
typedef struct dmd_refchain {
  dmd_pool_t nodes; /* uint32_t: from 1 on, beginning with the requested node */
  dmd_chain_end_t end;
} dmd_refchain_t;

/* follows: false: the chain is just the node. picks: as above. */
void dmd_refchain_init(dmd_refchain_t *chain, const dmd_heapgraph_t *graph,
                       const dmd_referrers_t *referrers, uint32_t node, const bool *picks,
                       bool follows);
void dmd_refchain_destroy(dmd_refchain_t *chain);

#endif
