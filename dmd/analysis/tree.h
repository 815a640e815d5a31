/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * tree.h: the trees of one process, as about:memory shapes them.
 *
 * init, any number of adds, finish; then only read (text_tree.h prints). The paths must be added in
 * the order of dmd_amounts_settle, which lets each tree grow at its right edge only: there is
 * one node a path and one a fork, however many parts the paths have. That is also how chains of
 * single children come out merged, "a/b/c". The root, a path's first part, is never merged.
 *
 * finish gives every tree the shape in which it is shown:
 *   - children stand by amount, the largest first, then by name; in a difference by the largest
 *     absolute amount in their subtree, since grown and shrunk parts may cancel out;
 *   - two or more children below 1% of the root move into a node "(N tiny)"; where all are that
 *     small, they are hidden instead;
 *   - an amount below zero or above that of its root is invalid, and nothing that leads to it is
 *     hidden. In a difference no amount is invalid.
 *
 * Cost: n log n in the number of paths. There is no recursion, so that the depth of a tree is not
 * limited.
 */
#ifndef DMD_ANALYSIS_TREE_H
#define DMD_ANALYSIS_TREE_H

#include "analysis/amounts.h"
#include "base/intern.h"
#include "base/pool.h"

#include <stdbool.h>

typedef struct dmd_node {
  int64_t amount;   /* of the whole subtree */
  int64_t shared;   /* of a leaf: how much more it would be if shared blocks counted whole */
  uint64_t extent;  /* the largest absolute amount in the subtree */
  size_t end;       /* while it grows: the length of its path */
  const char *name; /* the last parts of its path; NULL: a node for n_kids tiny ones */
  const dmd_amount_t *leaf; /* what was added; NULL: it is a sum */
  uint32_t parent;          /* DMD_NONE: a root */
  uint32_t root;            /* of its tree */
  uint32_t first_kid;       /* DMD_NONE: a leaf */
  uint32_t next;            /* of its parent's children; of a root, the next root */
  uint32_t n_kids;
  uint32_t times;    /* of a leaf: reports that were summed */
  uint8_t units;     /* dmd_memreport_units_t */
  uint8_t presence;  /* of a leaf: dmd_presence_t */
  bool is_single;    /* a path without '/': not a tree but a line */
  bool is_invalid;   /* below zero or above the root */
  bool is_hidden;    /* its children are not shown */
  uint8_t value_n;   /* for the printer: characters of its value */
  size_t prefix_szB; /* and the length of what stands before its children; in JSON of its path */
} dmd_node_t;

typedef struct dmd_trees {
  const dmd_env_t *env;
  dmd_pool_t nodes;
  dmd_intern_t names;
  const char *path;    /* the one added last */
  uint32_t last;       /* its leaf */
  uint32_t first_root; /* after finish: "explicit", then by name, single lines last */
  bool any_invalid;
} dmd_trees_t;

/* The trees must stay where they are until they are destroyed. */
void dmd_trees_init(dmd_trees_t *trees, const dmd_env_t *env);
void dmd_trees_destroy(dmd_trees_t *trees);

/* Adds a leaf. The path must stay where it is until finish, the report as long as the trees. */
void dmd_trees_add(dmd_trees_t *trees, const char *path, const dmd_amount_t *report);

/* With show_all, nothing is tiny. */
void dmd_trees_finish(dmd_trees_t *trees, bool is_diff, bool show_all);

/* How names are ordered: as dictionaries do, so that case matters last and punctuation comes before
 * digits and these before letters. */
int dmd_compare_names(const char *a, const char *b);

static inline dmd_node_t *dmd_trees_at(const dmd_trees_t *trees, uint32_t id) {
  return DMD_POOL_AT(&trees->nodes, dmd_node_t, id);
}

#endif
