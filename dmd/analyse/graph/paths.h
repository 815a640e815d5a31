/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * paths.h: the shortest paths from roots to given nodes of a heap graph, grouped by shape.
 *
 * A heap has paths to a million blocks, but few of them differ in what people read. The shape of a
 * path is the root's name and, for each step, the label of the edge (kinds.h) and the kind of its
 * target. A step to a kind that occurred shortly before on the path ends that part of it: a list or
 * a tree, however deep, is one step that repeats. The shape keeps the members that lead from one
 * such block to the next, as loops.
 *
 * Doubtful edges, which may not be pointers (dmd_typing_doubts), are only used to reach nodes that
 * are not reached otherwise.
 *
 * Time: proportional to nodes, edges and requested paths. Memory: 12 bytes a node while it runs,
 * one bit an edge. No recursion.
 */
#ifndef DMD_ANALYSE_GRAPH_PATHS_H
#define DMD_ANALYSE_GRAPH_PATHS_H

#include "analyse/graph/kinds.h"
#include "base/bitset.h"

/* The most loops kept for a shape. */
enum { DMD_PATH_LOOPS = 8 };

/* A way from a block back to one of its kind: the steps from the shape that repeats to `last`, and
 * then `way`. */
typedef struct dmd_path_loop {
  uint32_t last; /* a shape; the one that repeats if one member leads back */
  uint32_t way;  /* label of the edge that leads back */
  uint32_t next; /* the next loop of the same shape; or DMD_NONE */
} dmd_path_loop_t;

typedef struct dmd_path_shape {
  uint32_t before;        /* the shape without its last step; DMD_NONE: a root */
  uint32_t kind;          /* of the final node */
  uint32_t way;           /* label of the last step; DMD_NONE for a root */
  uint32_t edge;          /* an example of the last step; unset for a root */
  uint32_t loops;         /* how the last step leads on to more nodes of its kind; or DMD_NONE */
  bool has_more_loops;    /* than DMD_PATH_LOOPS */
  bool is_doubtful;       /* the last step may not be a pointer */
  uint64_t blocks, bytes; /* requested ones that end here; usable bytes */
} dmd_path_shape_t;

typedef struct dmd_paths {
  const dmd_heapgraph_t *graph;
  dmd_kinds_t *kinds;
  dmd_pool_t shapes;
  dmd_pool_t loops;
  dmd_table_t index;
  uint32_t *order; /* shapes at which requested blocks end, most blocks first */
  uint32_t n_order;
  uint64_t lost_blocks, lost_bytes; /* requested, but unreachable */
  uint64_t blocks, bytes;           /* requested */
} dmd_paths_t;

/* Finds paths to the blocks among these nodes. Must not move. */
void dmd_paths_init(dmd_paths_t *paths, dmd_kinds_t *kinds, const dmd_bitset_t *to);
void dmd_paths_destroy(dmd_paths_t *paths);

static inline const dmd_path_shape_t *dmd_paths_at(const dmd_paths_t *paths, uint32_t shape) {
  return DMD_POOL_AT(&paths->shapes, const dmd_path_shape_t, shape);
}

/* Appends the members of a loop of this shape as a C expression: "next", "slots[].t", "a->b". */
void dmd_path_loop_name(const dmd_paths_t *paths, uint32_t shape, uint32_t loop, dmd_strbuf_t *to);

static inline const dmd_path_loop_t *dmd_path_loop_at(const dmd_paths_t *paths, uint32_t loop) {
  return DMD_POOL_AT(&paths->loops, const dmd_path_loop_t, loop);
}

/* The steps of a shape from its root, as shapes, ending with itself; *n of them. The caller frees
 * the array with the graph's env. */
uint32_t *dmd_path_steps(const dmd_paths_t *paths, uint32_t shape, uint32_t *n);

#endif
