/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * retained.h: retained sizes: the bytes that each node of a heap graph keeps alive.
 *
 * Sizes are usable bytes. A byte in nested blocks belongs to the innermost one, and roots have no
 * bytes of their own. Unreachable blocks count as held by DMD_GRAPH_ALL where they begin (lost.h),
 * so all blocks are in the tree, and their bytes add up to the heap.
 *
 * Stale edges (stale.h) keep nothing alive. Doubtful edges may not be pointers (dmd_typing_doubts),
 * so everything is computed with and without the others of them. Without them a node may retain
 * less (nothing if it is unreachable then), or more if it becomes the only one that leads to
 * something; others then no longer retain that, and only the sizes over all edges add up. "All"
 * edges are those that are not stale.
 *
 * Memory: 16 bytes a node, 24 if there are doubtful edges; while it runs, that of dominators.h.
 */
#ifndef DMD_ANALYSE_GRAPH_RETAINED_H
#define DMD_ANALYSE_GRAPH_RETAINED_H

#include "analyse/graph/dominators.h"
#include "analyse/graph/lost.h"
#include "analyse/graph/stale.h"
#include "base/bitset.h"
#include "model/graph/nesting.h"

typedef struct dmd_retained {
  dmd_heapgraph_t *graph;
  dmd_dominators_t dominators; /* over all edges */
  uint64_t *bytes;             /* by node; over all edges */
  uint64_t *sure;              /* by node; without doubtful edges. NULL: no edge is doubtful */
  dmd_nesting_sizes_t sizes;
  dmd_stale_t stale;
  dmd_lost_t lost; /* where the unreachable part begins */
} dmd_retained_t;

/* Temporarily takes stale and doubtful edges out of the graph. */
void dmd_retained_init(dmd_retained_t *retained, dmd_heapgraph_t *graph,
                       const dmd_typing_t *typing);
void dmd_retained_destroy(dmd_retained_t *retained);

/* The node's own bytes. */
static inline uint64_t dmd_retained_own(const dmd_retained_t *retained, uint32_t node) {
  if (!dmd_heapgraph_is_block(retained->graph, node))
    return 0;
  return dmd_nesting_own(&retained->sizes, node).szB;
}

typedef struct dmd_bounds {
  uint64_t all;   /* over all edges: these add up over siblings */
  uint64_t least; /* without doubtful edges, if that is less */
} dmd_bounds_t;

/* What a node retains. */
static inline dmd_bounds_t dmd_retained_of(const dmd_retained_t *retained, uint32_t node) {
  uint64_t all = retained->bytes[node];
  uint64_t sure = retained->sure == NULL ? all : retained->sure[node];
  return (dmd_bounds_t){.all = all, .least = all < sure ? all : sure};
}

/* What all nodes of a set retain together: bytes reachable only through them, over all edges.
 * Temporarily takes stale edges out of the graph. */
uint64_t dmd_retained_by_all(const dmd_retained_t *retained, const dmd_bitset_t *nodes);

#endif
