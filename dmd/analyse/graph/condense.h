/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * condense.h: shrinks a graph for readers that cannot take all of it.
 *
 * Nodes that the root does not reach are left out. If the rest is too large for a reader, small
 * siblings in the dominator tree are merged, each with all that it dominates, into one node per
 * parent: those that retain up to a threshold, the lowest at which the graph fits. Other nodes
 * retain as much as before: edges out of such siblings lead to nodes dominated by their parent or
 * one of its dominators, so no new path bypasses one of these. The merged siblings may retain more
 * together than each by itself.
 *
 * Remaining nodes are numbered from 0, the root, in the order of the graph.
 *
 * Memory: 8 bytes a node; if nodes are merged, 8 more, and another 17 during construction. Time:
 * proportional to nodes and edges, about ten times that if nodes are merged.
 */
#ifndef DMD_ANALYSE_GRAPH_CONDENSE_H
#define DMD_ANALYSE_GRAPH_CONDENSE_H

#include "analyse/graph/dominators.h"

/* The number of a node that is left out. */
#define DMD_LEFT_OUT UINT32_MAX

/* Limits of a reader, and the maximum size of a node and an edge in its format. */
typedef struct dmd_reader_limits {
  uint64_t max_nodes;
  uint64_t max_szB; /* for all nodes and edges in the file */
  uint32_t node_szB, edge_szB;
  uint64_t max_node_size; /* bytes of the heap that may be merged into one node */
} dmd_reader_limits_t;

typedef struct dmd_condensed {
  const dmd_graph_t *graph;
  const uint32_t *starts; /* nodes that the root leads to besides its own edges */
  uint32_t n_starts;
  const uint64_t *sizes; /* by node of the graph */
  uint32_t n_nodes;
  uint32_t *node;   /* by number: the graph's node, the first of the merged ones */
  uint32_t *number; /* by node of the graph */
  uint64_t up_to;   /* siblings that retain up to this many bytes are merged; 0: none */
  bool fits;        /* false: too large in any case */
  uint32_t *next;   /* by node: the next merged one, 0: end; NULL: no nodes are merged */
  uint32_t *met;    /* by number: the last walk that met an edge to it; NULL: no nodes are merged */
  uint32_t n_walks;
} dmd_condensed_t;

/* Input. All of it must outlive the condensed graph, except the dominators. */
typedef struct dmd_condense {
  const dmd_graph_t *graph;
  const uint32_t *starts; /* as given to dmd_dominators_init */
  uint32_t n_starts;
  const uint64_t *sizes;              /* by node */
  const dmd_dominators_t *dominators; /* `retained` refers to these sizes */
} dmd_condense_t;

void dmd_condensed_init(dmd_condensed_t *condensed, const dmd_condense_t *what,
                        const dmd_reader_limits_t *limits);
void dmd_condensed_destroy(dmd_condensed_t *condensed);

/* True if the node stands for several of the graph; how many it stands for; their total size. */
bool dmd_condensed_is_many(const dmd_condensed_t *condensed, uint32_t number);
uint32_t dmd_condensed_n(const dmd_condensed_t *condensed, uint32_t number);
uint64_t dmd_condensed_size(const dmd_condensed_t *condensed, uint32_t number);

/* Iterates over the edges of a node until dmd_condensed_next returns false. Parallel edges of
 * merged nodes are visited once. Only one walk at a time, and at most 2^32 - 1 in total. */
#define DMD_NO_EDGE UINT32_MAX

typedef struct dmd_edge_walk {
  uint32_t number, node; /* start of the edge: its number, and the node of the graph */
  uint32_t edge;         /* in the graph; DMD_NO_EDGE: from the root to one of `starts` */
  uint32_t target;       /* a number */
  bool is_many;
  uint32_t next_edge, next_start;
} dmd_edge_walk_t;

void dmd_condensed_walk(dmd_condensed_t *condensed, uint32_t number, dmd_edge_walk_t *walk);
bool dmd_condensed_next(dmd_condensed_t *condensed, dmd_edge_walk_t *walk);

#endif
