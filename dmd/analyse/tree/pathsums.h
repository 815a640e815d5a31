/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pathsums.h: sums of bytes at a path and below it, over all processes.
 *
 * Budgets (analyse/limits/gate.h) and histories (analyse/records/metrics.h) ask for them. Amounts
 * in other units than bytes are left out. The amounts must be complete and not settled.
 */
#ifndef DMD_ANALYSE_TREE_PATHSUMS_H
#define DMD_ANALYSE_TREE_PATHSUMS_H

#include "analyse/records/metrics.h"
#include "analyse/tree/amounts.h"

/* False: no amount in bytes has this path or is below it. *sum is then 0. */
bool dmd_pathsum(const dmd_amounts_t *m, const char *path, int64_t *sum);

typedef struct dmd_pathpart {
  const char *path;
  int64_t now, before;
} dmd_pathpart_t;

/* The amounts that make up such a sum, and what they were before (NULL: they were 0): those that
 * grew most come first, those that shrank last. *n of them; free them with now->env. */
dmd_pathpart_t *dmd_pathparts(const dmd_amounts_t *now, const dmd_amounts_t *before,
                              const char *path, size_t *n);

/* Passes the amounts of one process (an id in the strings of m) as metrics: each path in bytes and
 * all paths above it as a reporter, heap-allocated as the heap, heap-unclassified as unreported,
 * resident memory. Only the first two names of a path in the system's trees size, rss, pss and swap
 * count, since below they name files. */
void dmd_pathsums_metrics(const dmd_amounts_t *m, uint32_t process, dmd_metric_fn visit,
                          void *visitor);

#endif
