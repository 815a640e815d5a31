/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/retained.h"

#include "analyse/graph/edgemask.h"

static void *array(const dmd_heapgraph_t *graph, size_t element_szB) {
  return dmd_env_alloc(graph->env, "dmd.retained", graph->graph.n_nodes * element_szB);
}

/* By node: the total of its subtree. */
static uint64_t *sum(const dmd_retained_t *r, const dmd_dominators_t *dominators) {
  uint64_t *bytes = array(r->graph, sizeof *bytes);
  dmd_mem_zero(bytes, r->graph->graph.n_nodes * sizeof *bytes);
  for (uint32_t i = 0; i < dominators->n_reached; i++)
    bytes[dominators->order[i]] = dmd_retained_own(r, dominators->order[i]);
  dmd_dominators_sum(dominators, bytes);
  return bytes;
}

static void find_sure(dmd_retained_t *r, dmd_heapgraph_t *graph, const dmd_typing_t *typing) {
  dmd_edgemask_t mask;
  dmd_edgemask_init(&mask, &graph->graph);
  if (dmd_edgemask_take_doubtful(&mask, typing) > 0) {
    dmd_dominators_t dominators;
    dmd_dominators_init_packed(&dominators, &graph->graph, r->lost.nodes, r->lost.n);
    r->sure = sum(r, &dominators);
    dmd_dominators_destroy(&dominators);
  }
  dmd_edgemask_destroy(&mask);
}

void dmd_retained_init(dmd_retained_t *retained, dmd_heapgraph_t *graph,
                       const dmd_typing_t *typing) {
  *retained = (dmd_retained_t){.graph = graph};
  dmd_lost_init(&retained->lost, graph);
  dmd_nesting_init(&retained->sizes, graph);
  dmd_edgemask_t mask;
  dmd_edgemask_init(&mask, &graph->graph);
  dmd_stale_init(&retained->stale, typing);
  dmd_stale_take(&retained->stale, &mask);
  find_sure(retained, graph, typing);
  dmd_dominators_init_packed(&retained->dominators, &graph->graph, retained->lost.nodes,
                             retained->lost.n);
  retained->bytes = sum(retained, &retained->dominators);
  dmd_edgemask_destroy(&mask);
}

void dmd_retained_destroy(dmd_retained_t *retained) {
  const dmd_env_t *env = retained->graph->env;
  dmd_dominators_destroy(&retained->dominators);
  dmd_env_free(env, retained->bytes);
  dmd_env_free(env, retained->sure);
  dmd_nesting_destroy(&retained->sizes);
  dmd_lost_destroy(&retained->lost);
  dmd_stale_destroy(&retained->stale);
}

/* ---- Several nodes together. ---- */

typedef struct {
  const dmd_graph_t *graph;
  const dmd_bitset_t *without;
  dmd_bitset_t met;
  uint32_t *queue;
  uint32_t n;
} walk_t;

static void meet(walk_t *w, uint32_t node) {
  if (dmd_bitset_has(w->without, node) || dmd_bitset_has(&w->met, node))
    return;
  dmd_bitset_add(&w->met, node);
  w->queue[w->n++] = node;
}

uint64_t dmd_retained_by_all(const dmd_retained_t *retained, const dmd_bitset_t *nodes) {
  const dmd_env_t *env = retained->graph->env;
  dmd_edgemask_t mask;
  dmd_edgemask_init(&mask, &retained->graph->graph);
  dmd_stale_take(&retained->stale, &mask);
  walk_t w = {.graph = &retained->graph->graph, .without = nodes};
  dmd_bitset_init(&w.met, env, "dmd.retained", w.graph->n_nodes);
  w.queue = array(retained->graph, sizeof *w.queue);
  meet(&w, DMD_GRAPH_ALL);
  for (uint32_t i = 0; i < retained->lost.n; i++)
    meet(&w, retained->lost.nodes[i]);
  uint64_t left = 0;
  for (uint32_t i = 0; i < w.n; i++) {
    uint32_t node = w.queue[i];
    left += dmd_retained_own(retained, node);
    for (uint32_t e = w.graph->first[node]; e < w.graph->first[node + 1]; e++)
      meet(&w, w.graph->target[e]);
  }
  dmd_env_free(env, w.queue);
  dmd_bitset_destroy(&w.met);
  dmd_edgemask_destroy(&mask);
  return retained->bytes[DMD_GRAPH_ALL] - left;
}
