/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * treecolumns.h: the trees of all processes together, and the value of each process at every node.
 *
 * Amounts with equal paths are added up over all processes; memory that processes share counts in
 * each. Percentages cannot be added up and are left out.
 */
#ifndef DMD_ANALYSE_TREE_TREECOLUMNS_H
#define DMD_ANALYSE_TREE_TREECOLUMNS_H

#include "analyse/tree/tree.h"

typedef struct dmd_treecolumns {
  const dmd_env_t *env;
  dmd_amounts_t sums;
  dmd_trees_t trees;        /* of the sums */
  dmd_process_t *processes; /* n of them, in display order */
  uint32_t n;
  int64_t *amounts; /* for node id and process i at (id - 1) * n + i, */
  bool *are_there;  /* and whether the process has a value there */
} dmd_treecolumns_t;

/* Takes complete amounts, and settles them. Returns NULL, or why that is impossible, as for
 * dmd_amounts_settle; destroy the columns in either case. The amounts must outlive them. */
const char *dmd_treecolumns_init(dmd_treecolumns_t *columns, dmd_amounts_t *m, bool show_all,
                                 const char **path);
void dmd_treecolumns_destroy(dmd_treecolumns_t *columns);

#endif
