/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * tree.h: the trees of one process, in the form that about:memory shows.
 *
 * Call order: init, any number of adds, finish; then only read (text_tree.h prints). Paths must be
 * added in the order of dmd_amounts_settle, so that each tree grows only at its right edge. There
 * is one node per path and per fork, however many components paths have; so chains of single
 * children are merged, "a/b/c". The root, a path's first component, is never merged.
 *
 * finish gives each tree the form in which it is shown:
 * - children are sorted by amount, largest first, then by name; in a difference by the largest
 *   absolute amount in their subtree, since grown and shrunk parts may cancel out;
 * - two or more children below 1% of the root move into a node "(N tiny)"; if all are that small,
 *   they are hidden instead;
 * - an amount below zero or above its root's is invalid, and its ancestors are not hidden. In a
 *   difference no amount is invalid.
 *
 * Cost: n log n in the number of paths. No recursion, so trees may have any depth.
 */
#ifndef DMD_ANALYSE_TREE_TREE_H
#define DMD_ANALYSE_TREE_TREE_H

#include "analyse/tree/amounts.h"
#include "base/intern.h"
#include "base/pool.h"

#include <stdbool.h>

typedef struct dmd_node {
  int64_t amount;   /* of the whole subtree */
  int64_t shared;   /* for a leaf: how much larger it would be if shared blocks counted in full */
  uint64_t extent;  /* the largest absolute amount in the subtree */
  size_t end;       /* during building: the length of its path */
  const char *name; /* the last components of its path; NULL: a node for n_kids tiny ones */
  const dmd_amount_t *leaf; /* the amount that was added; NULL: a sum */
  uint32_t parent;          /* DMD_NONE: a root */
  uint32_t root;            /* of its tree */
  uint32_t first_kid;       /* DMD_NONE: a leaf */
  uint32_t next;            /* next sibling; for a root, the next root */
  uint32_t n_kids;
  uint32_t times;    /* for a leaf: number of reports summed */
  uint8_t units;     /* dmd_memreport_units_t */
  uint8_t presence;  /* for a leaf: dmd_presence_t */
  bool is_single;    /* a path without '/': a line rather than a tree */
  bool is_invalid;   /* below zero or above the root */
  bool is_hidden;    /* its children are not shown */
  uint8_t value_n;   /* for the printer: width of its value */
  size_t prefix_szB; /* and the length of the prefix of its children; in JSON of its path */
} dmd_node_t;

typedef struct dmd_trees {
  const dmd_env_t *env;
  dmd_pool_t nodes;
  dmd_intern_t names;
  const char *path;    /* the path added last */
  uint32_t last;       /* its leaf */
  uint32_t first_root; /* after finish: "explicit" first, then by name, single lines last */
  bool any_invalid;
} dmd_trees_t;

/* The trees must stay in place until they are destroyed. */
void dmd_trees_init(dmd_trees_t *trees, const dmd_env_t *env);
void dmd_trees_destroy(dmd_trees_t *trees);

/* Adds a leaf. The path must stay in place until finish, the report as long as the trees exist. */
void dmd_trees_add(dmd_trees_t *trees, const char *path, const dmd_amount_t *report);

/* With show_all, no node counts as tiny. */
void dmd_trees_finish(dmd_trees_t *trees, bool is_diff, bool show_all);

/* Dictionary order of names: case matters last, and punctuation comes before digits, and digits
 * before letters. */
int dmd_compare_names(const char *a, const char *b);

static inline dmd_node_t *dmd_trees_at(const dmd_trees_t *trees, uint32_t id) {
  return DMD_POOL_AT(&trees->nodes, dmd_node_t, id);
}

/* ---- One tree for each process. ----
 *
 * The processes of memory reports in display order, and the trees of each.
 *
 * The main process comes first, then the others by resident memory, then by name. */

typedef struct dmd_process {
  uint32_t from, to; /* range in the order of the amounts */
  const char *name;  /* never empty */
  bool is_main;
  int64_t resident; /* -1: unknown */
} dmd_process_t;

/* The processes of settled amounts, *n of them; the caller frees the array with the amounts'
 * env. */
dmd_process_t *dmd_amounts_processes(const dmd_amounts_t *m, uint32_t *n);

/* Initialises and finishes the trees of a process. */
void dmd_process_trees(const dmd_process_t *process, const dmd_amounts_t *m, dmd_trees_t *trees,
                       bool show_all);

#endif
