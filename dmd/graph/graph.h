/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graph.h: a heap graph as compressed arrays: nodes, edges and sizes.
 *
 * Every analysis of heap graphs works on this, wherever the graph came from: a live heap, a file or
 * a test. Nodes are numbered from 0; node 0 is the root of all, from which edges lead to whatever
 * the program can reach by itself. Edges of one node lie together, in the order in which they were
 * found; there may be several between two nodes, and from a node to itself.
 *
 * Building: init with the number of nodes and a bound for the number of edges, then for each node
 * in order its edges, dmd_graph_add_edge, and dmd_graph_end_node; then only read. Memory: 12 bytes
 * a node, 4 an edge, and 4 more where the offsets of pointers are kept.
 */
#ifndef DMD_GRAPH_GRAPH_H
#define DMD_GRAPH_GRAPH_H

#include "base/env.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct dmd_graph {
  const dmd_env_t *env;
  uint32_t n_nodes;
  uint32_t max_edges; /* that there is room for */
  uint32_t n_ended;   /* nodes whose edges are all there */
  uint32_t *first;    /* n_nodes + 1: the edges of node i are first[i] to first[i + 1] - 1 */
  uint32_t *target;   /* by edge */
  uint32_t *offset;   /* by edge: of the pointer in its node, in bytes; NULL: not kept */
  uint64_t *size;     /* by node: usable bytes; of the root 0 */
  bool is_borrowed;   /* these are somebody else's */
} dmd_graph_t;

/* Sizes are all 0 at first; the caller sets them. */
void dmd_graph_init(dmd_graph_t *graph, const dmd_env_t *env, uint32_t n_nodes, uint32_t max_edges,
                    bool with_offsets);
void dmd_graph_destroy(dmd_graph_t *graph);

/* In place of init and building: a graph of these arrays, which are complete and stay where they
 * are. Whoever takes edges out for a while (edgemask.h) writes there. */
void dmd_graph_borrow(dmd_graph_t *graph, const dmd_env_t *env, uint32_t n_nodes, uint32_t *first,
                      uint32_t *target, uint32_t *offset, uint64_t *size);

/* Adds an edge to the current node: the first one that was not ended. */
void dmd_graph_add_edge(dmd_graph_t *graph, uint32_t target, uint32_t offset);
void dmd_graph_end_node(dmd_graph_t *graph);

/* The node that an edge starts in: a search of log n. */
uint32_t dmd_graph_source(const dmd_graph_t *graph, uint32_t edge);

/* For an analysis that reads no offsets and wants memory: until it is over, they take a byte or two
 * an edge, and `offset` is NULL. Nothing happens to a graph without offsets, or of arrays that are
 * somebody else's. */
typedef struct dmd_packed_offsets {
  dmd_graph_t *graph;
  char *bytes; /* differences between those of one node; NULL: there are none */
} dmd_packed_offsets_t;

void dmd_graph_pack_offsets(dmd_graph_t *graph, dmd_packed_offsets_t *packed);
void dmd_graph_unpack_offsets(dmd_packed_offsets_t *packed);

static inline uint32_t dmd_graph_n_edges(const dmd_graph_t *graph) {
  return graph->first[graph->n_ended];
}

#endif
