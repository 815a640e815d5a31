/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * condense.h: what of a graph is shown to readers that cannot take all of it.
 *
 * Left out are nodes that the root does not reach. If the rest is too large for a reader, small
 * siblings in the dominator tree, each with all that it dominates, become one node: those of one
 * parent that retain up to a number of bytes, the least with which the graph fits. The other nodes
 * retain as much as before: what leads out of such siblings leads to what their parent or one of
 * its dominators dominates, so that no path comes about that passes one of these by. The siblings
 * together may retain more than each for itself.
 *
 * The nodes that are left are numbered from 0, which is the root, in the order of the graph's.
 *
 * Memory: 8 bytes a node; if nodes are put together 8 more, and while it is made another 17. Time:
 * in proportion to nodes and edges; if nodes are put together about ten times that.
 */
#ifndef DMD_GRAPH_CONDENSE_H
#define DMD_GRAPH_CONDENSE_H

#include "graph/dominators.h"

/* Of a node that is left out, as its number. */
#define DMD_LEFT_OUT UINT32_MAX

/* What a reader takes, and what a node and an edge are to it at most. */
typedef struct dmd_reader_limits {
  uint64_t max_nodes;
  uint64_t max_szB; /* of all nodes and edges in the file */
  uint32_t node_szB, edge_szB;
  uint64_t max_node_size; /* bytes of the heap that may be put together to one node */
} dmd_reader_limits_t;

typedef struct dmd_condensed {
  const dmd_graph_t *graph;
  const uint32_t *starts; /* nodes that the root leads to beside its own edges */
  uint32_t n_starts;
  const uint64_t *sizes; /* by node of the graph */
  uint32_t n_nodes;
  uint32_t *node;   /* by number: the graph's node, the first of those put together */
  uint32_t *number; /* by node of the graph */
  uint64_t up_to;   /* siblings that retain up to so many bytes are put together; 0: none */
  bool fits;        /* false: too large in any case */
  uint32_t *next;   /* by node: the next of those put together, 0: no more; NULL: none are */
  uint32_t *met;    /* by number: the last walk that met an edge to it; NULL: none are */
  uint32_t n_walks;
} dmd_condensed_t;

/* What is to be shown. All of it must outlive the condensed graph, but for the dominators. */
typedef struct dmd_condense {
  const dmd_graph_t *graph;
  const uint32_t *starts; /* as given to dmd_dominators_init */
  uint32_t n_starts;
  const uint64_t *sizes;              /* by node */
  const dmd_dominators_t *dominators; /* `retained` is of these sizes */
} dmd_condense_t;

void dmd_condensed_init(dmd_condensed_t *condensed, const dmd_condense_t *what,
                        const dmd_reader_limits_t *limits);
void dmd_condensed_destroy(dmd_condensed_t *condensed);

/* Whether a node stands for several of the graph, for how many, and their size. */
bool dmd_condensed_is_many(const dmd_condensed_t *condensed, uint32_t number);
uint32_t dmd_condensed_n(const dmd_condensed_t *condensed, uint32_t number);
uint64_t dmd_condensed_size(const dmd_condensed_t *condensed, uint32_t number);

/* A walk through the edges of a node, until dmd_condensed_next returns false. From and to nodes
 * that stand for several there is one of each kind. One walk at a time, of at most 2^32 - 1 in all.
 */
#define DMD_NO_EDGE UINT32_MAX

typedef struct dmd_edge_walk {
  uint32_t number, node; /* where the edge starts, in numbers and in the graph */
  uint32_t edge;         /* of the graph; DMD_NO_EDGE: from the root to one of `starts` */
  uint32_t target;       /* a number */
  bool is_many;
  uint32_t next_edge, next_start;
} dmd_edge_walk_t;

void dmd_condensed_walk(dmd_condensed_t *condensed, uint32_t number, dmd_edge_walk_t *walk);
bool dmd_condensed_next(dmd_condensed_t *condensed, dmd_edge_walk_t *walk);

#endif
