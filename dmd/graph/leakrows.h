/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * leakrows.h: the leak check's result as people read it: sums, and blocks of one state, kind and
 * allocation stack together.
 *
 * The definitely lost stand first, then the possibly lost, the indirectly lost and the reachable;
 * within these those of most bytes, with what hangs on them. Bytes are requested bytes.
 */
#ifndef DMD_GRAPH_LEAKROWS_H
#define DMD_GRAPH_LEAKROWS_H

#include "analysis/record.h"
#include "graph/kinds.h"
#include "graph/leaks.h"

typedef struct dmd_leak_sum {
  uint64_t blocks, bytes;
} dmd_leak_sum_t;

typedef struct dmd_leak_row {
  uint32_t state;              /* a dmd_leak_state_t */
  uint32_t kind;               /* of the kinds */
  uint32_t stack;              /* a cut stack; DMD_NONE: not recorded */
  dmd_leak_sum_t own, hanging; /* on definitely lost ones: the indirectly lost */
} dmd_leak_row_t;

typedef struct dmd_leakrows {
  const dmd_records_t *records;
  dmd_leak_sum_t total[DMD_N_LEAK_STATES]; /* of those that are not ignored */
  dmd_leak_sum_t ignored;                  /* in any state */
  dmd_pool_t rows;
  dmd_table_t index;
  uint32_t *order; /* ids of rows, in the order in which they are shown */
} dmd_leakrows_t;

/* Records of the graph's profile, for the cut of its stacks; ignored_by: by the profile's stack,
 * not 0 where blocks from there are ignored (analysis/ignore.h), NULL: none; picks: by node, which
 * blocks count, NULL: all. Must stay where it is. */
void dmd_leakrows_init(dmd_leakrows_t *rows, const dmd_leaks_t *leaks, const dmd_kinds_t *kinds,
                       const dmd_records_t *records, const uint32_t *ignored_by, const bool *picks);
void dmd_leakrows_destroy(dmd_leakrows_t *rows);

static inline uint32_t dmd_leakrows_count(const dmd_leakrows_t *rows) {
  return rows->rows.last;
}

/* The i-th that is shown, from 0. */
static inline const dmd_leak_row_t *dmd_leakrows_at(const dmd_leakrows_t *rows, uint32_t i) {
  return DMD_POOL_AT(&rows->rows, const dmd_leak_row_t, rows->order[i]);
}

/* The word for a state in JSON, such as "definitely", "reachable". */
const char *dmd_leak_state_name(dmd_leak_state_t state);

#endif
