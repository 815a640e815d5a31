/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * leaks.h: which blocks no root reaches, sorted as Memcheck's leak check sorts them.
 *
 *   definitely lost   no pointer leads to it, from a root or from another lost block
 *   indirectly lost   only lost blocks lead to it
 *   possibly lost     roots reach it, but only on ways with a pointer into the middle of a block
 *   still reachable   roots reach it by pointers to the starts of blocks
 *
 * Pointers into the middle that are the usual ones of something (dmd_heuristic_t) count as pointers
 * to the start. Of lost blocks in a circle one counts as definitely lost. Each indirectly lost
 * block hangs on one that is definitely lost; where several lead to it, on the one that has it
 * first. Sizes are requested bytes. All this, and the choice among several, is as in Valgrind's
 * memcheck/mc_leakcheck.c, so that the sums are the same.
 *
 * As there, a block that has announced blocks in it is not one by itself: these stand for it.
 *
 * Time and memory in proportion to nodes and edges: 9 bytes a block, 4 of them while it runs, and
 * one bit an edge. Without recursion.
 */
#ifndef DMD_GRAPH_LEAKS_H
#define DMD_GRAPH_LEAKS_H

#include "graph/heapgraph.h"

typedef enum {
  DMD_LEAK_DEFINITELY,
  DMD_LEAK_INDIRECTLY,
  DMD_LEAK_POSSIBLY,
  DMD_LEAK_REACHABLE,
  DMD_LEAK_OUTER, /* other blocks stand for it */
  DMD_N_LEAK_STATES
} dmd_leak_state_t;

typedef struct dmd_leaks {
  const dmd_heapgraph_t *graph;
  uint8_t *state;   /* by the block's place: a dmd_leak_state_t */
  uint32_t *leader; /* by the block's place; of an indirectly lost one: the node it hangs on */
} dmd_leaks_t;

/* What counts as a block. */
typedef enum {
  DMD_LEAKS_AS_MEMCHECK,
  DMD_LEAKS_OF_ALL_NODES /* those around others too: none is DMD_LEAK_OUTER */
} dmd_leaks_rule_t;

/* The graph must outlive it. */
void dmd_leaks_init(dmd_leaks_t *leaks, const dmd_heapgraph_t *graph, dmd_leaks_rule_t rule);
void dmd_leaks_destroy(dmd_leaks_t *leaks);

static inline dmd_leak_state_t dmd_leak_state(const dmd_leaks_t *leaks, uint32_t node) {
  return (dmd_leak_state_t)leaks->state[node - dmd_heapgraph_first_block(leaks->graph)];
}

/* The nodes where what no root reaches begins, ascending: the definitely lost blocks of all nodes,
 * *n of them. With edges from the root to these, it reaches everything. The caller frees the array
 * with the graph's env. */
uint32_t *dmd_leaks_starts(const dmd_heapgraph_t *graph, uint32_t *n);

/* The definitely lost block that a lost one hangs on, which may be itself. */
static inline uint32_t dmd_leak_leader(const dmd_leaks_t *leaks, uint32_t node) {
  return dmd_leak_state(leaks, node) == DMD_LEAK_INDIRECTLY
             ? leaks->leader[node - dmd_heapgraph_first_block(leaks->graph)]
             : node;
}

#endif
