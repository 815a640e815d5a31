/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * leaks.h: finds blocks that no root reaches, in the categories of Memcheck's leak check.
 *
 *   definitely lost   no pointer leads to it, from a root or from another lost block
 *   indirectly lost   only lost blocks lead to it
 *   possibly lost     roots reach it, but only through a pointer into the middle of a block
 *   still reachable   roots reach it by pointers to the starts of blocks
 *
 * Interior pointers that match a heuristic (dmd_heuristic_t) count as pointers to the start. In a
 * cycle of lost blocks, one block counts as definitely lost, the others as indirectly lost. Each
 * indirectly lost block is attached to a definitely lost one, its leader; if several lead to it, to
 * the first that claims it. This is the only classification of blocks as lost: whatever dmdv calls
 * lost is definitely or indirectly lost by these rules, and a possibly lost block is not lost. A
 * block that contains announced blocks is not counted: these stand for it. Sizes are requested
 * bytes. Rules and order are those of Valgrind's memcheck/mc_leakcheck.c, so that the sums are
 * equal.
 *
 * Time and memory: proportional to nodes and edges; 9 bytes a block, 4 of them temporary, and one
 * bit an edge. No recursion.
 */
#ifndef DMD_ANALYSE_GRAPH_LEAKS_H
#define DMD_ANALYSE_GRAPH_LEAKS_H

#include "analyse/graph/kinds.h"
#include "analyse/records/record.h"
#include "base/bitset.h"
#include "model/graph/heapgraph.h"

typedef enum {
  DMD_LEAK_DEFINITELY,
  DMD_LEAK_INDIRECTLY,
  DMD_LEAK_POSSIBLY,
  DMD_LEAK_REACHABLE,
  DMD_LEAK_OUTER, /* represented by the blocks within it */
  DMD_N_LEAK_STATES
} dmd_leak_state_t;

typedef struct dmd_leaks {
  const dmd_heapgraph_t *graph;
  uint8_t *state;   /* by block place: a dmd_leak_state_t */
  uint32_t *leader; /* by block place, for indirectly lost blocks: the leader's node */
} dmd_leaks_t;

/* Which nodes count as blocks. */
typedef enum {
  DMD_LEAKS_AS_MEMCHECK,
  DMD_LEAKS_OF_ALL_NODES /* also those around others: no block is DMD_LEAK_OUTER */
} dmd_leaks_rule_t;

/* The graph must outlive it. */
void dmd_leaks_init(dmd_leaks_t *leaks, const dmd_heapgraph_t *graph, dmd_leaks_rule_t rule);
void dmd_leaks_destroy(dmd_leaks_t *leaks);

static inline dmd_leak_state_t dmd_leak_state(const dmd_leaks_t *leaks, uint32_t node) {
  return (dmd_leak_state_t)leaks->state[node - dmd_heapgraph_first_block(leaks->graph)];
}

/* True if no root reaches the block. */
static inline bool dmd_leak_is_lost(dmd_leak_state_t state) {
  return state == DMD_LEAK_DEFINITELY || state == DMD_LEAK_INDIRECTLY;
}

/* The nodes from which everything is reachable that roots do not reach, ascending, *n of them: the
 * definitely lost blocks under DMD_LEAKS_OF_ALL_NODES. With edges from the root to these, it
 * reaches everything. The caller frees the array with the graph's env. */
uint32_t *dmd_leaks_starts(const dmd_heapgraph_t *graph, uint32_t *n);

/* The leader of a lost block, which may be itself. */
static inline uint32_t dmd_leak_leader(const dmd_leaks_t *leaks, uint32_t node) {
  return dmd_leak_state(leaks, node) == DMD_LEAK_INDIRECTLY
             ? leaks->leader[node - dmd_heapgraph_first_block(leaks->graph)]
             : node;
}

/* ---- Lost blocks. ----
 *
 * The nodes where the unreachable part of a heap graph begins.
 *
 * These are the blocks that a leak check finds definitely lost if every node counts as a block
 * (above): everything that roots do not reach can be reached from them. */

typedef struct dmd_lost {
  const dmd_env_t *env;
  uint32_t *nodes; /* ascending */
  uint32_t n;
} dmd_lost_t;

void dmd_lost_init(dmd_lost_t *lost, const dmd_heapgraph_t *graph);
void dmd_lost_destroy(dmd_lost_t *lost);

/* True if a node is one of them. Binary search. */
bool dmd_lost_has(const dmd_lost_t *lost, uint32_t node);

/* ---- Rows. ----
 *
 * The result of the leak check for display: sums, and rows of blocks with one state,
 * kind and allocation stack.
 *
 * Order: definitely lost, possibly lost, indirectly lost, reachable; within each by bytes,
 * including what the blocks lead to, largest first. Bytes are requested bytes. */

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

/* ---- Lost blocks as a profile. ----
 *
 * Turns the result of a heap graph's leak check into a profile, so that limits,
 * ignore files and records of findings (analyse/limits/gate.h, gate.h) work on leaks as they do
 * on reports. */

/* Adds the definitely and the indirectly lost blocks to a profile as unreported blocks, with their
 * requested bytes. */
void dmd_leaks_add_lost(dmd_profile_t *profile, const dmd_leaks_t *leaks);

#endif
