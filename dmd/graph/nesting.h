/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * nesting.h: blocks of a heap graph that lie in others, so that no byte counts twice.
 *
 * As in a profile (live/nested.h), a byte belongs to the innermost block that it is in. What is
 * computed of a profile and what of a graph of the same moment adds up to the same.
 *
 * Cost: a look at each block where none lies in another; else 8 bytes a block, and 4 for reports.
 */
#ifndef DMD_GRAPH_NESTING_H
#define DMD_GRAPH_NESTING_H

#include "graph/heapgraph.h"

typedef struct dmd_nesting_sizes {
  const dmd_heapgraph_t *graph;
  uint64_t *inner; /* by place of a block, from 1: usable bytes of it that blocks in it have; NULL:
                      no block lies in another */
} dmd_nesting_sizes_t;

void dmd_nesting_init(dmd_nesting_sizes_t *sizes, const dmd_heapgraph_t *graph);
void dmd_nesting_destroy(dmd_nesting_sizes_t *sizes);

/* Usable bytes of a block that are no other's, and those of them that are slop. */
typedef struct dmd_own_size {
  uint64_t szB, slop;
} dmd_own_size_t;

dmd_own_size_t dmd_nesting_own(const dmd_nesting_sizes_t *sizes, uint32_t node);

/* The block as a group of the graph's profile. */
dmd_group_t dmd_nesting_group(const dmd_nesting_sizes_t *sizes, uint32_t node);

/* Usable bytes of all blocks, each byte once. Cost: one walk over the blocks. */
int64_t dmd_nesting_heap_szB(const dmd_heapgraph_t *graph);

/* Gives blocks in others the reports of these beside their own: who reported a block reported what
 * lies in it as well. Of more than DMD_REPORTS_COUNTED reported blocks around one, the nearest
 * count. Once, when a graph is complete. */
void dmd_nesting_join_reports(dmd_heapgraph_t *graph);

#endif
