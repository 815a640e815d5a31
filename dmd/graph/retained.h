/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * retained.h: what each node of a heap graph keeps alive: the bytes that would go with it.
 *
 * Sizes are usable bytes. A byte of a block in a block counts once, as the inner one's, and roots
 * have no bytes of their own. What no root reaches is taken for held by DMD_GRAPH_ALL where it
 * begins (lost.h): so all blocks are in the tree, and their
 * bytes add up to the heap.
 *
 * Some edges may be no pointers (dmd_typing_doubts). All is computed with them and without them.
 * Without them a node may retain less, one that nothing reaches then nothing; or more, if it is the
 * only one left that leads to something. But then others that retained that do not any more, and
 * only the sizes over all edges add up.
 *
 * Memory: 16 bytes a node, 24 where there are doubtful edges; while it runs as dominators.h says.
 */
#ifndef DMD_GRAPH_RETAINED_H
#define DMD_GRAPH_RETAINED_H

#include "base/bitset.h"
#include "graph/dominators.h"
#include "graph/lost.h"
#include "graph/nesting.h"
#include "graph/typing.h"

typedef struct dmd_retained {
  const dmd_heapgraph_t *graph;
  dmd_dominators_t dominators; /* over all edges */
  uint64_t *bytes;             /* by node; over all edges */
  uint64_t *sure;              /* by node; without the doubtful ones. NULL: there are none */
  dmd_nesting_sizes_t sizes;
  dmd_lost_t lost; /* where what no root reaches begins */
} dmd_retained_t;

/* Takes doubtful edges out of the graph meanwhile, and puts them back. */
void dmd_retained_init(dmd_retained_t *retained, dmd_heapgraph_t *graph,
                       const dmd_typing_t *typing);
void dmd_retained_destroy(dmd_retained_t *retained);

/* The bytes that are a node's own. */
static inline uint64_t dmd_retained_own(const dmd_retained_t *retained, uint32_t node) {
  if (!dmd_heapgraph_is_block(retained->graph, node))
    return 0;
  return dmd_nesting_own(&retained->sizes, node).szB;
}

typedef struct dmd_bounds {
  uint64_t all;   /* over all edges: of nodes that are next to each other these add up */
  uint64_t least; /* and without the doubtful ones, where that is less */
} dmd_bounds_t;

/* What a node retains. */
static inline dmd_bounds_t dmd_retained_of(const dmd_retained_t *retained, uint32_t node) {
  uint64_t all = retained->bytes[node];
  uint64_t sure = retained->sure == NULL ? all : retained->sure[node];
  return (dmd_bounds_t){.all = all, .least = all < sure ? all : sure};
}

/* What would go if all nodes of a set went: bytes that are reached only through them, over all
 * edges. */
uint64_t dmd_retained_by_all(const dmd_retained_t *retained, const dmd_bitset_t *nodes);

#endif
