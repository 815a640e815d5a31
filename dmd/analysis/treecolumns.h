/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * treecolumns.h: the trees of all processes together, and what each process has of every node.
 *
 * Amounts of one path are added up, whatever process they are of; memory that processes share is in
 * the amounts of each. Percentages have no sum, and are left out.
 */
#ifndef DMD_ANALYSIS_TREECOLUMNS_H
#define DMD_ANALYSIS_TREECOLUMNS_H

#include "analysis/processtrees.h"

typedef struct dmd_treecolumns {
  const dmd_env_t *env;
  dmd_amounts_t sums;
  dmd_trees_t trees;        /* of the sums */
  dmd_process_t *processes; /* n of them, in the order of people */
  uint32_t n;
  int64_t *amounts; /* of node id and process i at (id - 1) * n + i, */
  bool *are_there;  /* and whether the process has anything there */
} dmd_treecolumns_t;

/* Of amounts that are complete; settles them. NULL, or why that cannot be done, as
 * dmd_amounts_settle; destroy them either way. The amounts must outlive them. */
const char *dmd_treecolumns_init(dmd_treecolumns_t *columns, dmd_amounts_t *m, bool show_all,
                                 const char **path);
void dmd_treecolumns_destroy(dmd_treecolumns_t *columns);

#endif
