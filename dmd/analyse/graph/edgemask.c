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

void dmd_edgemask_take_doubtful_interior(dmd_edgemask_t *mask, const dmd_typing_t *typing) {
  const dmd_pool_t *interiors = &typing->graph->interiors;
  uint32_t node = 0;
  for (uint32_t id = 1; id <= interiors->last; id++) {
    uint32_t edge = DMD_POOL_AT(interiors, const dmd_graph_interior_t, id)->edge;
    while (typing->graph->graph.first[node + 1] <= edge)
      node++;
    if (dmd_typing_doubts(typing, node, edge))
      dmd_edgemask_take(mask, node, edge);
  }
}

static bool may_be_blank(const dmd_typing_t *typing, uint32_t node) {
  return node != DMD_GRAPH_ALL &&
         (dmd_typing_type(typing, node) != DMD_NONE || typing->parts.last > 0);
}

/* Edges of nodes without a type are doubtful only if they are interior. */
void dmd_find_doubtful(const dmd_typing_t *typing,
                       void (*found)(void *ctx, uint32_t node, uint32_t edge), void *ctx) {
  const dmd_graph_t *g = &typing->graph->graph;
  const dmd_pool_t *interiors = &typing->graph->interiors;
  uint32_t id = 1;
  for (uint32_t node = 0; node < g->n_nodes; node++) {
    bool all = may_be_blank(typing, node);
    uint32_t edge = g->first[node], end = g->first[node + 1];
    while (edge < end) {
      uint32_t interior =
          id > interiors->last ? end : DMD_POOL_AT(interiors, const dmd_graph_interior_t, id)->edge;
      if (!all && interior > edge)
        edge = interior < end ? interior : end;
      if (edge == end)
        break;
      id += edge == interior;
      if (dmd_typing_doubts(typing, node, edge))
        found(ctx, node, edge);
      edge++;
    }
  }
}
