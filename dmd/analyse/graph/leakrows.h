/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * leakrows.h: the result of the leak check for display: sums, and rows of blocks with one state,
 * kind and allocation stack.
 *
 * Order: definitely lost, possibly lost, indirectly lost, reachable; within each by bytes,
 * including what the blocks lead to, largest first. Bytes are requested bytes.
 */
#ifndef DMD_ANALYSE_GRAPH_LEAKROWS_H
#define DMD_ANALYSE_GRAPH_LEAKROWS_H

#include "analyse/graph/kinds.h"
#include "analyse/graph/leaks.h"
#include "analyse/records/record.h"

typedef struct dmd_leak_sum {
  uint64_t blocks, bytes;
} dmd_leak_sum_t;

typedef struct dmd_leak_row {
  uint32_t state; /* a dmd_leak_state_t */
  uint32_t kind;  /* an id of kinds */
  uint32_t stack; /* a cut stack; DMD_NONE: not recorded */
  dmd_leak_sum_t own,
      hanging; /* for definitely lost blocks: the indirectly lost blocks that they lead to */
} dmd_leak_row_t;

typedef struct dmd_leakrows {
  const dmd_records_t *records;
  dmd_leak_sum_t total[DMD_N_LEAK_STATES]; /* excludes ignored blocks */
  dmd_leak_sum_t ignored;                  /* in any state */
  dmd_pool_t rows;
  dmd_table_t index;
  uint32_t *order; /* row ids in display order */
} dmd_leakrows_t;

/* records: those of the graph's profile, for the cut of its stacks. ignored_by: by the profile's
 * stack, not 0 if blocks from there are ignored (analyse/limits/ignore.h); NULL: none. picks: by
 * node, which blocks count; NULL: all. Must not move. */
void dmd_leakrows_init(dmd_leakrows_t *rows, const dmd_leaks_t *leaks, const dmd_kinds_t *kinds,
                       const dmd_records_t *records, const uint32_t *ignored_by, const bool *picks);
void dmd_leakrows_destroy(dmd_leakrows_t *rows);

static inline uint32_t dmd_leakrows_count(const dmd_leakrows_t *rows) {
  return rows->rows.last;
}

/* The i-th row in display order, from 0. */
static inline const dmd_leak_row_t *dmd_leakrows_at(const dmd_leakrows_t *rows, uint32_t i) {
  return DMD_POOL_AT(&rows->rows, const dmd_leak_row_t, rows->order[i]);
}

/* The word for a state in JSON, such as "definitely" or "reachable". */
const char *dmd_leak_state_name(dmd_leak_state_t state);

#endif
