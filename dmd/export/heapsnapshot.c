/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/heapsnapshot.h"

#include "graph/edgename.h"

/* What a node and an edge take at most, in bytes of JSON: seven numbers, of which the name, id,
 * size and stack may have eight digits and more; three numbers. Names have the rest. */
enum { NODE_SZB = 56, EDGE_SZB = 24 };
#define MAX_SZB (UINT64_C(384) << 20)

static void count_unreached(dmd_heapsnapshot_t *s, const dmd_dominators_t *dominators) {
  const dmd_graph_t *g = &s->graph->graph;
  for (uint32_t node = dmd_heapgraph_first_block(s->graph); node < g->n_nodes; node++)
    if (dominators->idom[node] == DMD_NO_DOMINATOR) {
      s->n_unreached++;
      s->unreached_szB += g->size[node];
    }
}

void dmd_heapsnapshot_init(dmd_heapsnapshot_t *snapshot, const dmd_heapgraph_t *graph,
                           dmd_typing_t *typing, uint64_t max_nodes) {
  dmd_dominators_t dominators;
  dmd_reader_limits_t limits = {.max_nodes = max_nodes,
                                .max_szB = MAX_SZB,
                                .node_szB = NODE_SZB,
                                .edge_szB = EDGE_SZB,
                                .max_node_size = UINT32_MAX};
  *snapshot = (dmd_heapsnapshot_t){.graph = graph, .typing = typing};
  dmd_dominators_init(&dominators, &graph->graph, NULL, 0);
  dmd_dominators_measure(&dominators, &graph->graph);
  count_unreached(snapshot, &dominators);
  snapshot->n_reached = dominators.n_reached;
  dmd_condensed_init(&snapshot->shown, &graph->graph, &dominators, &limits);
  dmd_dominators_destroy(&dominators);
}

void dmd_heapsnapshot_destroy(dmd_heapsnapshot_t *snapshot) {
  dmd_condensed_destroy(&snapshot->shown);
}

void dmd_heapsnapshot_name(const dmd_heapsnapshot_t *snapshot, uint32_t number, dmd_strbuf_t *to) {
  if (dmd_condensed_is_many(&snapshot->shown, number))
    dmd_strbuf_str(to, "(small ones, put together)");
  else
    dmd_typing_name(snapshot->typing, snapshot->shown.node[number], to);
}

void dmd_heapsnapshot_edge_name(const dmd_heapsnapshot_t *snapshot, const dmd_edge_walk_t *walk,
                                uint32_t edge, dmd_strbuf_t *to) {
  uint32_t target = dmd_condensed_target(&snapshot->shown, edge);
  if (!walk->is_many && !dmd_condensed_is_many(&snapshot->shown, target))
    dmd_edge_name(snapshot->typing, walk->node, edge, to);
}

uint32_t dmd_heapsnapshot_stack(const dmd_heapsnapshot_t *snapshot, uint32_t number) {
  uint32_t node = snapshot->shown.node[number];
  if (!dmd_heapgraph_is_block(snapshot->graph, node) ||
      dmd_condensed_is_many(&snapshot->shown, number))
    return DMD_NONE;
  return dmd_heapgraph_profile_stack(snapshot->graph,
                                     dmd_heapgraph_block(snapshot->graph, node)->stack);
}
