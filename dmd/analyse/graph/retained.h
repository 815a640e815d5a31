/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * retained.h: retained sizes: the bytes that each node of a heap graph keeps alive.
 *
 * Sizes are usable bytes. A byte in nested blocks belongs to the innermost one, and roots have no
 * bytes of their own. Unreachable blocks count as held by DMD_GRAPH_ALL where they begin (leaks.h),
 * so all blocks are in the tree, and their bytes add up to the heap.
 *
 * Stale edges (stale.h) keep nothing alive. Doubtful edges may not be pointers (dmd_typing_doubts),
 * so everything is computed with and without the others of them. Without them a node may retain
 * less (nothing if it is unreachable then), or more if it becomes the only one that leads to
 * something; others then no longer retain that, and only the sizes over all edges add up. "All"
 * edges are those that are not stale.
 *
 * Memory: 16 bytes a node, 24 if there are doubtful edges; while it runs, that of dominators.h.
 */
#ifndef DMD_ANALYSE_GRAPH_RETAINED_H
#define DMD_ANALYSE_GRAPH_RETAINED_H

#include "analyse/graph/dominators.h"
#include "analyse/graph/kinds.h"
#include "analyse/graph/leaks.h"
#include "analyse/graph/stale.h"
#include "base/bitset.h"
#include "model/graph/nesting.h"

typedef struct dmd_retained {
  dmd_heapgraph_t *graph;
  dmd_dominators_t dominators; /* over all edges */
  uint64_t *bytes;             /* by node; over all edges */
  uint64_t *sure;              /* by node; without doubtful edges. NULL: no edge is doubtful */
  dmd_nesting_sizes_t sizes;
  dmd_stale_t stale;
  dmd_lost_t lost; /* where the unreachable part begins */
} dmd_retained_t;

/* Temporarily takes stale and doubtful edges out of the graph. */
void dmd_retained_init(dmd_retained_t *retained, dmd_heapgraph_t *graph,
                       const dmd_typing_t *typing);
void dmd_retained_destroy(dmd_retained_t *retained);

/* The node's own bytes. */
static inline uint64_t dmd_retained_own(const dmd_retained_t *retained, uint32_t node) {
  if (!dmd_heapgraph_is_block(retained->graph, node))
    return 0;
  return dmd_nesting_own(&retained->sizes, node).szB;
}

typedef struct dmd_bounds {
  uint64_t all;   /* over all edges: these add up over siblings */
  uint64_t least; /* without doubtful edges, if that is less */
} dmd_bounds_t;

/* What a node retains. */
static inline dmd_bounds_t dmd_retained_of(const dmd_retained_t *retained, uint32_t node) {
  uint64_t all = retained->bytes[node];
  uint64_t sure = retained->sure == NULL ? all : retained->sure[node];
  return (dmd_bounds_t){.all = all, .least = all < sure ? all : sure};
}

/* What all nodes of a set retain together: bytes reachable only through them, over all edges.
 * Temporarily takes stale edges out of the graph. */
uint64_t dmd_retained_by_all(const dmd_retained_t *retained, const dmd_bitset_t *nodes);

/* ---- Rows. ----
 *
 * The dominator tree for display: from the roots down, largest first.
 *
 * Nodes of one kind that are held in the same way by nodes of one row form a row. A node dominated
 * by one of its own kind joins that one's row, so that a list or a tree of a million nodes is one
 * row. Rows that retain less than a given share of the heap, and rows below a maximum depth, are
 * left out.
 *
 * Memory: 12 bytes a node and about a hundred a row. Time: proportional to the nodes and edges of
 * the rows shown. No recursion. */

/* How a row's nodes are held by those of the parent row. */
typedef enum {
  DMD_HELD_BY_MEMBER,  /* by a pointer in them: `way` */
  DMD_HELD_BY_SEVERAL, /* by several pointers from nodes that they dominate */
  DMD_HELD_ROOT,       /* they are roots */
  DMD_HELD_LOST,       /* not held: no root reaches them */
  DMD_HELD_CHOSEN      /* chosen by the caller */
} dmd_held_t;

typedef struct dmd_retained_row {
  uint32_t kind;
  uint32_t way;   /* an edge label of kinds; DMD_NONE unless held by a member */
  uint32_t held;  /* a dmd_held_t */
  uint32_t depth; /* 1 for top-level rows */
  uint32_t blocks;
  uint64_t bytes; /* the blocks' own bytes */
  dmd_bounds_t retained;
  uint32_t parent, next, first_kid; /* rows; DMD_NONE at the end */
  uint32_t n_left_out; /* child rows that are too small; excludes those that are too deep */
  uint32_t first_node, last_node; /* DMD_GRAPH_ALL: no nodes */
} dmd_retained_row_t;

typedef struct dmd_retained_limits {
  uint32_t max_depth;
  double min_share; /* of the heap's bytes, 0 to 1 */
} dmd_retained_limits_t;

typedef struct dmd_retainedrows {
  const dmd_retained_t *retained;
  dmd_kinds_t *kinds;
  dmd_retained_limits_t limits;
  bool is_whole;   /* no nodes were chosen */
  dmd_pool_t rows; /* the first is the top row */
  uint64_t joint;  /* bytes that all chosen nodes together retain */
  /* Used during construction. */
  dmd_table_t index;
  uint32_t *next_node;        /* in its row; DMD_GRAPH_ALL: last */
  uint32_t *first_kid, *kids; /* by node: its children in the dominator tree are kids[first_kid[i]]
                                 to kids[first_kid[i + 1] - 1] */
  dmd_bitset_t placed;
  uint32_t n_filled; /* nodes processed so far */
} dmd_retainedrows_t;

/* Rows for the whole tree or, if `chosen` is not NULL, for the topmost of these nodes. Must not
 * move. */
void dmd_retainedrows_init(dmd_retainedrows_t *rows, const dmd_retained_t *retained,
                           dmd_kinds_t *kinds, dmd_retained_limits_t limits,
                           const dmd_bitset_t *chosen);
void dmd_retainedrows_destroy(dmd_retainedrows_t *rows);

enum { DMD_RETAINED_TOP = 1 }; /* the top row: the heap, or the chosen nodes */

static inline const dmd_retained_row_t *dmd_retainedrows_at(const dmd_retainedrows_t *rows,
                                                            uint32_t id) {
  return DMD_POOL_AT(&rows->rows, const dmd_retained_row_t, id);
}

/* The next row in display order; DMD_NONE at the end. */
uint32_t dmd_retainedrows_after(const dmd_retainedrows_t *rows, uint32_t id);

#endif
