/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * processtrees.h: the processes of memory reports in display order, and the trees of each.
 *
 * The main process comes first, then the others by resident memory, then by name.
 */
#ifndef DMD_ANALYSE_TREE_PROCESSTREES_H
#define DMD_ANALYSE_TREE_PROCESSTREES_H

#include "analyse/tree/tree.h"

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
