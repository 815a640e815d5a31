/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * nesting.h: nested blocks of a heap graph, so that no byte counts twice.
 *
 * As in a profile (record/heap/nested.h), a byte belongs to the innermost block that contains it.
 * So sums over a profile and over a graph of the same moment are equal.
 *
 * Cost: a check per block if none is nested; else 8 bytes a block, and 4 for reports.
 */
#ifndef DMD_MODEL_GRAPH_NESTING_H
#define DMD_MODEL_GRAPH_NESTING_H

#include "model/graph/heapgraph.h"

typedef struct dmd_nesting_sizes {
  const dmd_heapgraph_t *graph;
  uint64_t *inner; /* by block place, from 1: its usable bytes that belong to inner blocks; NULL: no
                      block is nested */
} dmd_nesting_sizes_t;

void dmd_nesting_init(dmd_nesting_sizes_t *sizes, const dmd_heapgraph_t *graph);
void dmd_nesting_destroy(dmd_nesting_sizes_t *sizes);

/* Usable bytes of a block that belong to no inner block, and the portion of them that is slop. */
typedef struct dmd_own_size {
  uint64_t szB, slop;
} dmd_own_size_t;

dmd_own_size_t dmd_nesting_own(const dmd_nesting_sizes_t *sizes, uint32_t node);

/* The block as a group of the graph's profile. */
dmd_group_t dmd_nesting_group(const dmd_nesting_sizes_t *sizes, uint32_t node);

/* Usable bytes of all blocks, each byte once. Cost: one walk over the blocks. */
int64_t dmd_nesting_heap_szB(const dmd_heapgraph_t *graph);

/* Adds the reports of outer blocks to those of the blocks within them: a report of a block covers
 * its contents. Considers at most the DMD_REPORTS_COUNTED nearest reported blocks around each. Call
 * once, when the graph is complete. */
void dmd_nesting_join_reports(dmd_heapgraph_t *graph);

/* ---- Nearest roots. ----
 *
 * The root that each block is reached from.
 *
 * A block may be reached from many roots; its nearest root is the one with the shortest path to it.
 * Among equally near ones, variables and other data come first, then thread-local storage, stacks,
 * registers, other memory; within a kind the first. So what a variable points to belongs to it,
 * even if a running function points to it as well. */

/* By node: the nearest root's node; for a root itself; DMD_GRAPH_ALL if unreachable. The caller
 * frees the array. Time: proportional to nodes and edges; 4 more bytes a node meanwhile. */
uint32_t *dmd_nearest_roots(const dmd_heapgraph_t *graph);

#endif
