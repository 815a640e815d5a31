/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/graph/nearest.h"

#include "base/mem.h"

static const dmd_root_kind_t order[DMD_N_ROOT_KINDS] = {
    DMD_ROOT_DATA, DMD_ROOT_THREAD, DMD_ROOT_STACK, DMD_ROOT_REGISTERS, DMD_ROOT_OTHER};

/* Breadth-first search from all roots at once: nodes queued earlier are at most as far away. */
uint32_t *dmd_nearest_roots(const dmd_heapgraph_t *graph) {
  const dmd_graph_t *g = &graph->graph;
  uint32_t *nearest = dmd_env_alloc(graph->env, "dmd.nearest", g->n_nodes * sizeof *nearest);
  uint32_t *queue = dmd_env_alloc(graph->env, "dmd.nearest", g->n_nodes * sizeof *queue);
  uint32_t n = 0;
  dmd_mem_zero(nearest, g->n_nodes * sizeof *nearest);
  for (int i = 0; i < DMD_N_ROOT_KINDS; i++)
    for (uint32_t root = 1; root <= graph->n_roots; root++)
      if (dmd_heapgraph_root(graph, root)->kind == order[i]) {
        nearest[root] = root;
        queue[n++] = root;
      }
  for (uint32_t next = 0; next < n; next++) {
    uint32_t node = queue[next];
    for (uint32_t edge = g->first[node]; edge < g->first[node + 1]; edge++) {
      uint32_t target = g->target[edge];
      if (nearest[target] == DMD_GRAPH_ALL) {
        nearest[target] = nearest[node];
        queue[n++] = target;
      }
    }
  }
  dmd_env_free(graph->env, queue);
  return nearest;
}
