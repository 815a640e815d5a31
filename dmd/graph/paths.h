/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * paths.h: on which ways the roots reach some nodes of a heap graph, the shortest for each.
 *
 * A heap has a path to each of a million blocks, but few of them differ in anything that people
 * read. The shape of a path is the root's name, and for each step the way that the pointer goes
 * (kinds.h) and the kind of what it leads to. A step to what is of the same kind as a block shortly
 * before on the path ends that part of it: a list or a tree, however deep, is one step that
 * repeats.
 *
 * Edges that may be no pointers (dmd_typing_doubts) are used only to what is not reached otherwise.
 *
 * Time in proportion to nodes and edges, and to the paths that are asked for; memory: 12 bytes a
 * node while it runs, one bit an edge. Without recursion.
 */
#ifndef DMD_GRAPH_PATHS_H
#define DMD_GRAPH_PATHS_H

#include "base/bitset.h"
#include "graph/kinds.h"

typedef struct dmd_path_shape {
  uint32_t before;        /* the shape without its last step; DMD_NONE: this is a root */
  uint32_t kind;          /* of the node where it ends */
  uint32_t way;           /* of the last step; DMD_NONE of a root */
  uint32_t edge;          /* an example of it; of a root none */
  bool repeats;           /* from there on to others of this kind */
  bool is_doubtful;       /* the last step may be no pointer */
  uint64_t blocks, bytes; /* that were asked for and end here; usable bytes */
} dmd_path_shape_t;

typedef struct dmd_paths {
  const dmd_heapgraph_t *graph;
  dmd_kinds_t *kinds;
  dmd_pool_t shapes;
  dmd_table_t index;
  uint32_t *order; /* shapes that blocks end with, those of most blocks first */
  uint32_t n_order;
  uint64_t lost_blocks, lost_bytes; /* that were asked for, and that no root reaches */
  uint64_t blocks, bytes;           /* that were asked for */
} dmd_paths_t;

/* To the blocks among these nodes. Must stay where it is. */
void dmd_paths_init(dmd_paths_t *paths, dmd_kinds_t *kinds, const dmd_bitset_t *to);
void dmd_paths_destroy(dmd_paths_t *paths);

static inline const dmd_path_shape_t *dmd_paths_at(const dmd_paths_t *paths, uint32_t shape) {
  return DMD_POOL_AT(&paths->shapes, const dmd_path_shape_t, shape);
}

/* The steps of a shape from its root on: shapes, the last of which it is itself. *n of them, which
 * the caller frees with the graph's env. */
uint32_t *dmd_path_steps(const dmd_paths_t *paths, uint32_t shape, uint32_t *n);

#endif
