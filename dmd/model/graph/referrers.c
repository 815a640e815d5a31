/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/graph/referrers.h"

#include "base/bitset.h"
#include "base/mem.h"

/* The first edge that is a pointer: those of DMD_GRAPH_ALL come before. */
static uint32_t first_edge(const dmd_graph_t *graph) {
  return graph->first[DMD_GRAPH_ALL + 1];
}

void dmd_referrers_init(dmd_referrers_t *r, const dmd_graph_t *graph) {
  size_t n = graph->n_nodes, n_edges = dmd_graph_n_edges(graph);
  r->graph = graph;
  r->first = dmd_env_alloc(graph->env, "dmd.referrers", (n + 2) * sizeof *r->first);
  r->edges = dmd_env_alloc(graph->env, "dmd.referrers", (n_edges + 1) * sizeof *r->edges);
  dmd_mem_zero(r->first, (n + 2) * sizeof *r->first);
  /* Counting sort: counts two places further on, adds up, then advances by one with each edge. */
  for (size_t edge = first_edge(graph); edge < n_edges; edge++)
    r->first[graph->target[edge] + 2ul]++;
  for (size_t node = 1; node <= n; node++)
    r->first[node + 1] += r->first[node];
  for (size_t edge = first_edge(graph); edge < n_edges; edge++)
    r->edges[r->first[graph->target[edge] + 1ul]++] = (uint32_t)edge;
}

void dmd_referrers_destroy(dmd_referrers_t *r) {
  dmd_env_free(r->graph->env, r->edges);
  dmd_env_free(r->graph->env, r->first);
}

bool dmd_referrers_next(const dmd_referrers_t *r, uint32_t node, const bool *picks,
                        dmd_referrer_t *referrer) {
  uint32_t n = dmd_referrers_count(r, node);
  do {
    uint32_t i = referrer->first + referrer->n;
    if (i == n)
      return false;
    *referrer = (dmd_referrer_t){.node = dmd_graph_source(r->graph, dmd_referrers_edge(r, node, i)),
                                 .first = i};
    uint32_t end = r->graph->first[referrer->node + 1];
    while (i < n && dmd_referrers_edge(r, node, i) < end)
      i++;
    referrer->n = i - referrer->first;
  } while (picks != NULL && !picks[referrer->node]);
  return true;
}

/* ---- Chains. ---- */

const char *dmd_chain_end_name(dmd_chain_end_t end) {
  static const char *const names[DMD_N_CHAIN_ENDS] = {"", "nothing", "several", "root", "loop"};
  return names[end];
}

static void add_node(dmd_refchain_t *chain, uint32_t node) {
  uint32_t place = dmd_pool_add(&chain->nodes);
  *DMD_POOL_AT(&chain->nodes, uint32_t, place) = node;
}

void dmd_refchain_init(dmd_refchain_t *chain, const dmd_heapgraph_t *graph,
                       const dmd_referrers_t *referrers, uint32_t node, const bool *picks,
                       bool follows) {
  dmd_bitset_t seen;
  chain->end = DMD_CHAIN_NOT_FOLLOWED;
  dmd_pool_init(&chain->nodes, graph->env, "dmd.refchain", sizeof(uint32_t));
  dmd_bitset_init(&seen, graph->env, "dmd.refchain", graph->graph.n_nodes);
  add_node(chain, node);
  while (follows && chain->end == DMD_CHAIN_NOT_FOLLOWED) {
    dmd_referrer_t only = {0}, other;
    dmd_bitset_add(&seen, node);
    bool any = dmd_referrers_next(referrers, node, picks, &only);
    other = only;
    node = only.node;
    if (!any)
      chain->end = DMD_CHAIN_NOTHING;
    else if (dmd_referrers_next(referrers, *DMD_POOL_AT(&chain->nodes, uint32_t, chain->nodes.last),
                                picks, &other))
      chain->end = DMD_CHAIN_SEVERAL;
    else if (!dmd_heapgraph_is_block(graph, node))
      chain->end = DMD_CHAIN_ROOT;
    else if (dmd_bitset_has(&seen, node))
      chain->end = DMD_CHAIN_LOOP;
    else
      add_node(chain, node);
  }
  dmd_bitset_destroy(&seen);
}

void dmd_refchain_destroy(dmd_refchain_t *chain) {
  dmd_pool_destroy(&chain->nodes);
}
