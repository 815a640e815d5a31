/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/dominance.h"

#include "analyse/graph/dominators.h"
#include "analyse/graph/lost.h"
#include "base/mem.h"

/* Numbers nodes so that those that a node dominates directly follow it. */
static void number_nodes(dmd_dominance_t *dominance, const dmd_dominators_t *d) {
  uint32_t *begin = dominance->begin, *count = dominance->count;
  for (uint32_t i = d->n_reached; i-- > 0;) {
    uint32_t node = d->order[i];
    count[node]++;
    if (i > 0)
      count[d->idom[node]] += count[node];
  }
  /* While the numbers in a node's range are assigned, begin is the end of the range for the next
   * child; finally it is the node's own number. */
  begin[DMD_GRAPH_ALL] = count[DMD_GRAPH_ALL];
  for (uint32_t i = 1; i < d->n_reached; i++) {
    uint32_t node = d->order[i], up = d->idom[node];
    uint32_t end = begin[up];
    begin[up] -= count[node];
    begin[node] = end;
  }
  for (uint32_t i = 0; i < d->n_reached; i++)
    begin[d->order[i]]--;
}

void dmd_dominance_init(dmd_dominance_t *dominance, const dmd_heapgraph_t *graph,
                        dmd_graph_t *edges) {
  size_t szB = edges->n_nodes * sizeof *dominance->begin;
  dmd_lost_t lost;
  dmd_dominators_t dominators;
  dmd_lost_init(&lost, graph);
  dmd_dominators_init_packed(&dominators, edges, lost.nodes, lost.n);
  dmd_lost_destroy(&lost);
  *dominance = (dmd_dominance_t){.env = graph->env,
                                 .begin = dmd_env_alloc(graph->env, "dmd.dominance", szB),
                                 .count = dmd_env_alloc(graph->env, "dmd.dominance", szB)};
  dmd_mem_zero(dominance->count, szB);
  number_nodes(dominance, &dominators);
  dmd_dominators_destroy(&dominators);
}

void dmd_dominance_destroy(dmd_dominance_t *dominance) {
  dmd_env_free(dominance->env, dominance->count);
  dmd_env_free(dominance->env, dominance->begin);
}
