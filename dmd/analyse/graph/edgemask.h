/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * edgemask.h: temporarily takes edges out of a graph.
 *
 * An edge that is taken out leads from its node to that node itself, which makes it irrelevant to
 * reachability, paths and dominators. Destroying the mask restores all edges. Memory: 8 bytes per
 * edge taken out.
 */
#ifndef DMD_ANALYSE_GRAPH_EDGEMASK_H
#define DMD_ANALYSE_GRAPH_EDGEMASK_H

#include "analyse/graph/typing.h"

typedef struct dmd_edgemask {
  dmd_graph_t *graph;
  dmd_pool_t taken;
} dmd_edgemask_t;

void dmd_edgemask_init(dmd_edgemask_t *mask, dmd_graph_t *graph);
/* Restores the edges. */
void dmd_edgemask_destroy(dmd_edgemask_t *mask);

/* Takes out an edge of this node; it may be out already. */
void dmd_edgemask_take(dmd_edgemask_t *mask, uint32_t node, uint32_t edge);

/* Takes out all doubtful edges, which may not be pointers (dmd_typing_doubts). Returns their
 * number. */
uint32_t dmd_edgemask_take_doubtful(dmd_edgemask_t *mask, const dmd_typing_t *typing);

/* Takes only those that lead into the middle of a block. */
void dmd_edgemask_take_doubtful_interior(dmd_edgemask_t *mask, const dmd_typing_t *typing);

/* Calls `found` for each doubtful edge, in order. */
void dmd_find_doubtful(const dmd_typing_t *typing,
                       void (*found)(void *ctx, uint32_t node, uint32_t edge), void *ctx);

#endif
