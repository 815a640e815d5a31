/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graph.h: a heap graph in compressed arrays (CSR): nodes, edges and sizes.
 *
 * All analyses of heap graphs work on this, whether the graph comes from a live heap, a file or a
 * test. Nodes are numbered from 0; node 0 is the super-root, whose edges lead to everything that
 * the program reaches directly. The edges of a node are contiguous, in the order in which they were
 * found; parallel edges and loops are allowed.
 *
 * Call order: init with the number of nodes and a bound for the number of edges; for each node in
 * order, dmd_graph_add_edge for its edges, then dmd_graph_end_node; then only read. Memory: 12
 * bytes a node, 4 an edge, and 4 more if pointer offsets are kept.
 *
 * Concurrency, for the whole folder: no shared state and no locks. An object belongs to one thread;
 * many queries (types, typing, kinds, keys) cache results and thus write.
 */
#ifndef DMD_MODEL_GRAPH_GRAPH_H
#define DMD_MODEL_GRAPH_GRAPH_H

#include "base/env.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct dmd_graph {
  const dmd_env_t *env;
  uint32_t n_nodes;
  uint32_t max_edges; /* capacity */
  uint32_t n_ended;   /* nodes whose edges are complete */
  uint32_t *first;  /* n_nodes + 1 entries: the edges of node i are first[i] to first[i + 1] - 1 */
  uint32_t *target; /* by edge */
  uint32_t *offset; /* by edge: offset of the pointer in its node, in bytes; NULL: not kept */
  uint64_t *size;   /* by node: usable bytes; 0 for the root */
  bool is_borrowed; /* the arrays belong to someone else */
} dmd_graph_t;

/* Sizes are initially 0; the caller sets them. */
void dmd_graph_init(dmd_graph_t *graph, const dmd_env_t *env, uint32_t n_nodes, uint32_t max_edges,
                    bool with_offsets);
void dmd_graph_destroy(dmd_graph_t *graph);

/* Replaces init and building: a graph over these complete arrays, which must stay in place. Taking
 * edges out (edgemask.h) writes to them. */
void dmd_graph_borrow(dmd_graph_t *graph, const dmd_env_t *env, uint32_t n_nodes, uint32_t *first,
                      uint32_t *target, uint32_t *offset, uint64_t *size);

/* Adds an edge to the current node: the first one that was not ended. */
void dmd_graph_add_edge(dmd_graph_t *graph, uint32_t target, uint32_t offset);
void dmd_graph_end_node(dmd_graph_t *graph);

/* The source node of an edge. Binary search. */
uint32_t dmd_graph_source(const dmd_graph_t *graph, uint32_t edge);

/* Frees memory for an analysis that reads no offsets: until unpacked, offsets take a byte or two an
 * edge, and `offset` is NULL. Does nothing for a graph without offsets or with borrowed arrays. */
typedef struct dmd_packed_offsets {
  dmd_graph_t *graph;
  char *bytes; /* differences within each node; NULL: nothing is packed */
} dmd_packed_offsets_t;

void dmd_graph_pack_offsets(dmd_graph_t *graph, dmd_packed_offsets_t *packed);
void dmd_graph_unpack_offsets(dmd_packed_offsets_t *packed);

static inline uint32_t dmd_graph_n_edges(const dmd_graph_t *graph) {
  return graph->first[graph->n_ended];
}

#endif
