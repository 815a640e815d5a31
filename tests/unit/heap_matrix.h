/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heap_matrix.h: small heap graphs as matrices of their edges, for tests that compare an analysis
 * with its definition, worked out the slow way.
 */
#ifndef TESTS_UNIT_HEAP_MATRIX_H
#define TESTS_UNIT_HEAP_MATRIX_H

#include "host.h"

#include "model/graph/heapgraph.h"

enum { MATRIX_MAX = 24 };

typedef enum { EDGE_NONE, EDGE_START, EDGE_INSIDE, EDGE_USUAL } edge_kind_t;

/* Nodes are numbered as in a heap graph: 0 is DMD_GRAPH_ALL. An edge starts in its node at 8 times
 * the number of its target; EDGE_INSIDE and EDGE_USUAL lead 8 bytes behind the target's start, the
 * latter as DMD_HEURISTIC_LENGTH. */
typedef struct heap_matrix {
  uint32_t n, n_roots;
  uint8_t edges[MATRIX_MAX][MATRIX_MAX]; /* an edge_kind_t; from DMD_GRAPH_ALL EDGE_START */
  uint64_t requested[MATRIX_MAX];        /* of blocks */
  uint32_t slop[MATRIX_MAX];
  uint32_t
      outer[MATRIX_MAX]; /* 0: not nested; else an earlier block with room for it, beside others */
  uint64_t addr[MATRIX_MAX];
} heap_matrix_t;

/* Some are trees with a few more edges, some dense, with unreachable parts, edges of a node to
 * itself, many roots, and blocks in blocks. */
void heap_matrix_throw(heap_matrix_t *m, dice_t *dice);

/* Initialises the graph. Block 7 was allocated by make_7. */
void heap_matrix_build(const heap_matrix_t *m, dmd_heapgraph_t *graph, const dmd_env_t *env);

/* The nodes that are reachable from those in `from` over edges of these kinds (bits 1 <<
 * edge_kind_t) without the node `without`; as bits, with `from` itself. */
uint32_t heap_matrix_reach(const heap_matrix_t *m, uint32_t from, unsigned kinds, uint32_t without);

enum { EDGES_ALL = 1 << EDGE_START | 1 << EDGE_INSIDE | 1 << EDGE_USUAL };

#endif
