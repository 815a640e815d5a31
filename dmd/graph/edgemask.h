/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * edgemask.h: edges that are taken out of a graph for a while.
 *
 * An edge that is taken out leads from its node to that node itself meanwhile: reachability, paths
 * and dominators are then as if it were not there. Ending the mask puts all back. Memory: 8 bytes
 * an edge that is taken out.
 */
#ifndef DMD_GRAPH_EDGEMASK_H
#define DMD_GRAPH_EDGEMASK_H

#include "graph/typing.h"

typedef struct dmd_edgemask {
  dmd_graph_t *graph;
  dmd_pool_t taken;
} dmd_edgemask_t;

void dmd_edgemask_init(dmd_edgemask_t *mask, dmd_graph_t *graph);
/* Puts the edges back. */
void dmd_edgemask_destroy(dmd_edgemask_t *mask);

/* Takes out an edge of this node, which may be out already. */
void dmd_edgemask_take(dmd_edgemask_t *mask, uint32_t node, uint32_t edge);

/* Takes out all edges that may be no pointers (dmd_typing_doubts). Returns how many these are. */
uint32_t dmd_edgemask_take_doubtful(dmd_edgemask_t *mask, const dmd_typing_t *typing);

/* Calls `found` for each of these, in their order. */
void dmd_find_doubtful(const dmd_typing_t *typing,
                       void (*found)(void *ctx, uint32_t node, uint32_t edge), void *ctx);

#endif
