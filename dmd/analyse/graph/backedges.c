/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/backedges.h"

#include "analyse/graph/dominance.h"
#include "base/str.h"

/* Edges with one label from nodes of one kind. */
typedef struct {
  uint32_t kind, way;
  uint32_t n, back;
} flow_t;

typedef struct {
  const dmd_heapgraph_t *graph;
  dmd_kinds_t *kinds;
  dmd_dominance_t dominance;
  dmd_pool_t flows;
  dmd_table_t index;
} work_t;

static flow_t *flow_at(const work_t *w, uint32_t id) {
  return DMD_POOL_AT(&w->flows, flow_t, id);
}

static bool flow_equal(const void *owner, uint32_t id, const void *key) {
  const flow_t *a = flow_at(owner, id), *b = key;
  return a->kind == b->kind && a->way == b->way;
}

static flow_t *flow_of(work_t *w, uint32_t node, uint32_t edge) {
  flow_t key = {.kind = w->kinds->of[node], .way = dmd_kinds_way(w->kinds, node, edge)};
  uint64_t hash = dmd_table_hash(&w->index, key.kind ^ (uint64_t)key.way << 32);
  uint32_t id = dmd_table_find_or_add(&w->index, &w->flows, hash, &key);
  return flow_at(w, id);
}

static void count_edges(work_t *w) {
  const dmd_graph_t *g = &w->graph->graph;
  for (uint32_t node = dmd_heapgraph_first_block(w->graph); node < g->n_nodes; node++)
    for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
      if (g->target[e] == node)
        continue;
      flow_t *flow = flow_of(w, node, e);
      flow->n++;
      flow->back += dmd_dominance_is(&w->dominance, g->target[e], node);
    }
}

static bool is_back(const work_t *w, const flow_t *flow) {
  return flow->back > 0 && flow->back >= flow->n - flow->n / 10 &&
         !dmd_str_equal(dmd_kinds_name(w->kinds, flow->way), DMD_WAY_OF_MANY);
}

static void take_edges(work_t *w, dmd_edgemask_t *mask) {
  const dmd_graph_t *g = &w->graph->graph;
  for (uint32_t node = dmd_heapgraph_first_block(w->graph); node < g->n_nodes; node++)
    for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++)
      if (g->target[e] != node && is_back(w, flow_of(w, node, e)))
        dmd_edgemask_take(mask, node, e);
}

uint32_t dmd_backedges_take(dmd_edgemask_t *mask, const dmd_heapgraph_t *graph,
                            dmd_kinds_t *kinds) {
  work_t w = {.graph = graph, .kinds = kinds};
  uint32_t before = mask->taken.last;
  dmd_dominance_init(&w.dominance, graph, mask->graph);
  dmd_pool_init(&w.flows, graph->env, "dmd.backedges", sizeof(flow_t));
  dmd_table_init(&w.index, graph->env, "dmd.backedges", flow_equal, &w);
  count_edges(&w);
  take_edges(&w, mask);
  dmd_table_destroy(&w.index);
  dmd_pool_destroy(&w.flows);
  dmd_dominance_destroy(&w.dominance);
  return mask->taken.last - before;
}
