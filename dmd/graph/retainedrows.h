/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * retainedrows.h: the dominator tree as people read it: from the roots down, biggest first.
 *
 * Nodes of one kind that are held in one way by nodes of one row are a row. What is held by a node
 * of its own kind is in that node's row, so that a list or a tree of a million nodes is one row.
 * Rows that retain less than a share of the heap, and what lies deeper than a limit, are left out.
 *
 * Memory: 12 bytes a node and a hundred a row; time in proportion to the nodes and edges of the
 * rows that are shown. Without recursion.
 */
#ifndef DMD_GRAPH_RETAINEDROWS_H
#define DMD_GRAPH_RETAINEDROWS_H

#include "graph/kinds.h"
#include "graph/retained.h"

/* How a row's nodes are held by those of the row above it. */
typedef enum {
  DMD_HELD_BY_MEMBER,  /* by a pointer in them: `way` */
  DMD_HELD_BY_SEVERAL, /* by several pointers from what they hold */
  DMD_HELD_ROOT,       /* they are roots */
  DMD_HELD_LOST,       /* by nothing: no root reaches them */
  DMD_HELD_CHOSEN      /* they were asked for */
} dmd_held_t;

typedef struct dmd_retained_row {
  uint32_t kind;
  uint32_t way;   /* of the kinds; DMD_NONE unless they are held by a member */
  uint32_t held;  /* a dmd_held_t */
  uint32_t depth; /* of the first rows 1 */
  uint32_t blocks;
  uint64_t bytes; /* of these blocks themselves */
  dmd_bounds_t retained;
  uint32_t parent, next, first_kid; /* rows; DMD_NONE: none */
  uint32_t n_left_out; /* rows below it that are too small; not those that lie too deep */
  uint32_t first_node, last_node; /* DMD_GRAPH_ALL: none */
} dmd_retained_row_t;

typedef struct dmd_retained_limits {
  uint32_t max_depth;
  double min_share; /* of the heap's bytes, 0 to 1 */
} dmd_retained_limits_t;

typedef struct dmd_retainedrows {
  const dmd_retained_t *retained;
  dmd_kinds_t *kinds;
  dmd_retained_limits_t limits;
  bool is_whole;   /* nothing was chosen */
  dmd_pool_t rows; /* the first is above all others */
  uint64_t joint;  /* bytes that only the chosen nodes keep alive, all of them together */
  /* While the rows are made. */
  dmd_table_t index;
  uint32_t *next_node;        /* in its row; DMD_GRAPH_ALL: none */
  uint32_t *first_kid, *kids; /* by node: those that it dominates, first[i] to first[i + 1] - 1 */
  dmd_bitset_t placed;
  uint32_t n_filled; /* nodes whose rows are being made */
} dmd_retainedrows_t;

/* Of the whole tree or, where `chosen` is not NULL, of these nodes: those of them that hang on no
 * other. Must stay where it is. */
void dmd_retainedrows_init(dmd_retainedrows_t *rows, const dmd_retained_t *retained,
                           dmd_kinds_t *kinds, dmd_retained_limits_t limits,
                           const dmd_bitset_t *chosen);
void dmd_retainedrows_destroy(dmd_retainedrows_t *rows);

enum { DMD_RETAINED_TOP = 1 }; /* the row above all others: the heap, or the chosen nodes */

static inline const dmd_retained_row_t *dmd_retainedrows_at(const dmd_retainedrows_t *rows,
                                                            uint32_t id) {
  return DMD_POOL_AT(&rows->rows, const dmd_retained_row_t, id);
}

/* The row that is shown after this one; DMD_NONE: it was the last. */
uint32_t dmd_retainedrows_after(const dmd_retainedrows_t *rows, uint32_t id);

#endif
