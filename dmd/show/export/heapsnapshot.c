/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/export/heapsnapshot.h"

#include "analyse/graph/kinds.h"
#include "analyse/graph/leaks.h"
#include "model/graph/nesting.h"

/* Estimated bytes of JSON per node (seven numbers, of which name, id, size and stack have up to
 * eight digits) and per edge (three numbers). The rest of 512 MiB is for names. */
enum { NODE_SZB = 40, EDGE_SZB = 17 };
#define MAX_SZB (UINT64_C(384) << 20)

static void *array(const dmd_heapgraph_t *graph, size_t element_szB) {
  return dmd_env_alloc(graph->env, "dmd.heapsnapshot", graph->graph.n_nodes * element_szB);
}

/* The own size of each node; 0 for roots. */
static uint64_t *own_sizes(const dmd_heapgraph_t *graph) {
  uint64_t *sizes = array(graph, sizeof *sizes);
  dmd_nesting_sizes_t nesting;
  dmd_nesting_init(&nesting, graph);
  for (uint32_t node = 0; node < graph->graph.n_nodes; node++)
    sizes[node] = dmd_heapgraph_is_block(graph, node) ? dmd_nesting_own(&nesting, node).szB : 0;
  dmd_nesting_destroy(&nesting);
  return sizes;
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
  dmd_condense_t what = {.graph = &graph->graph, .dominators = &dominators};
  what.starts = snapshot->starts = dmd_leaks_starts(graph, &what.n_starts);
  what.sizes = snapshot->sizes = own_sizes(graph);
  dmd_dominators_init(&dominators, &graph->graph, what.starts, what.n_starts);
  dominators.retained = array(graph, sizeof *dominators.retained);
  dmd_mem_copy(dominators.retained, what.sizes, graph->graph.n_nodes * sizeof *what.sizes);
  dmd_dominators_sum(&dominators, dominators.retained);
  dmd_condensed_init(&snapshot->shown, &what, &limits);
  dmd_dominators_destroy(&dominators);
}

void dmd_heapsnapshot_destroy(dmd_heapsnapshot_t *snapshot) {
  dmd_condensed_destroy(&snapshot->shown);
  dmd_env_free(snapshot->graph->env, snapshot->sizes);
  dmd_env_free(snapshot->graph->env, snapshot->starts);
}

void dmd_heapsnapshot_name(const dmd_heapsnapshot_t *snapshot, uint32_t number, dmd_strbuf_t *to) {
  if (dmd_condensed_is_many(&snapshot->shown, number))
    dmd_strbuf_str(to, "(small ones, put together)");
  else
    dmd_typing_name(snapshot->typing, snapshot->shown.node[number], to);
}

void dmd_heapsnapshot_edge_name(const dmd_heapsnapshot_t *snapshot, const dmd_edge_walk_t *walk,
                                dmd_strbuf_t *to) {
  if (walk->edge == DMD_NO_EDGE)
    dmd_strbuf_str(to, "(lost)");
  else if (!walk->is_many && !dmd_condensed_is_many(&snapshot->shown, walk->target))
    dmd_edge_name(snapshot->typing, walk->node, walk->edge, to);
}

uint32_t dmd_heapsnapshot_stack(const dmd_heapsnapshot_t *snapshot, uint32_t number) {
  uint32_t node = snapshot->shown.node[number];
  if (!dmd_heapgraph_is_block(snapshot->graph, node) ||
      dmd_condensed_is_many(&snapshot->shown, number))
    return DMD_NONE;
  return dmd_heapgraph_profile_stack(snapshot->graph,
                                     dmd_heapgraph_block(snapshot->graph, node)->stack);
}
