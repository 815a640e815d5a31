/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/edgemask.h"

typedef struct {
  uint32_t edge, target;
} taken_t;

void dmd_edgemask_init(dmd_edgemask_t *mask, dmd_graph_t *graph) {
  *mask = (dmd_edgemask_t){.graph = graph};
  dmd_pool_init(&mask->taken, graph->env, "dmd.edgemask", sizeof(taken_t));
}

/* Restores edges in reverse order: an edge may have been taken out twice. */
void dmd_edgemask_destroy(dmd_edgemask_t *mask) {
  for (uint32_t id = mask->taken.last; id > 0; id--) {
    const taken_t *taken = DMD_POOL_AT(&mask->taken, const taken_t, id);
    mask->graph->target[taken->edge] = taken->target;
  }
  dmd_pool_destroy(&mask->taken);
}

void dmd_edgemask_take(dmd_edgemask_t *mask, uint32_t node, uint32_t edge) {
  uint32_t id = dmd_pool_add(&mask->taken);
  *DMD_POOL_AT(&mask->taken, taken_t, id) =
      (taken_t){.edge = edge, .target = mask->graph->target[edge]};
  mask->graph->target[edge] = node;
}

static void take(void *mask, uint32_t node, uint32_t edge) {
  dmd_edgemask_take(mask, node, edge);
}

uint32_t dmd_edgemask_take_doubtful(dmd_edgemask_t *mask, const dmd_typing_t *typing) {
  uint32_t before = mask->taken.last;
  dmd_find_doubtful(typing, take, mask);
  return mask->taken.last - before;
}

void dmd_find_doubtful(const dmd_typing_t *typing,
                       void (*found)(void *ctx, uint32_t node, uint32_t edge), void *ctx) {
  const dmd_pool_t *interiors = &typing->graph->interiors;
  uint32_t node = 0;
  for (uint32_t id = 1; id <= interiors->last; id++) {
    uint32_t edge = DMD_POOL_AT(interiors, const dmd_graph_interior_t, id)->edge;
    while (typing->graph->graph.first[node + 1] <= edge)
      node++;
    if (dmd_typing_doubts(typing, node, edge))
      found(ctx, node, edge);
  }
}
