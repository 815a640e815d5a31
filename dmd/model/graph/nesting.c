/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/graph/nesting.h"

#include "base/mem.h"

static bool any_is_nested(const dmd_heapgraph_t *graph) {
  for (uint32_t node = dmd_heapgraph_first_block(graph); node < graph->graph.n_nodes; node++)
    if (dmd_heapgraph_block(graph, node)->outer != DMD_NONE)
      return true;
  return false;
}

/* A piece may end beyond its pool, if the program announces it so, and pieces may overlap. */
static void add(dmd_nesting_sizes_t *sizes, uint32_t node, uint32_t outer) {
  const dmd_heapgraph_t *graph = sizes->graph;
  uint64_t szB = graph->graph.size[node], outer_szB = graph->graph.size[outer];
  uint64_t left = outer_szB - (dmd_heapgraph_block(graph, node)->addr -
                               dmd_heapgraph_block(graph, outer)->addr);
  uint64_t *inner = &sizes->inner[outer - graph->n_roots];
  *inner += szB < left ? szB : left;
  if (*inner > outer_szB)
    *inner = outer_szB;
}

void dmd_nesting_init(dmd_nesting_sizes_t *sizes, const dmd_heapgraph_t *graph) {
  *sizes = (dmd_nesting_sizes_t){.graph = graph};
  if (!any_is_nested(graph))
    return;
  size_t szB = ((size_t)graph->blocks.last + 1) * sizeof *sizes->inner;
  sizes->inner = dmd_env_alloc(graph->env, "dmd.nesting", szB);
  dmd_mem_zero(sizes->inner, szB);
  for (uint32_t node = dmd_heapgraph_first_block(graph); node < graph->graph.n_nodes; node++) {
    uint32_t outer = dmd_heapgraph_block(graph, node)->outer;
    if (outer != DMD_NONE)
      add(sizes, node, outer);
  }
}

void dmd_nesting_destroy(dmd_nesting_sizes_t *sizes) {
  dmd_env_free(sizes->graph->env, sizes->inner);
}

/* Bytes of inner blocks are subtracted from the requested bytes first. */
dmd_own_size_t dmd_nesting_own(const dmd_nesting_sizes_t *sizes, uint32_t node) {
  const dmd_heapgraph_t *graph = sizes->graph;
  dmd_own_size_t own = {graph->graph.size[node], dmd_heapgraph_block(graph, node)->slop};
  uint64_t inner = sizes->inner != NULL ? sizes->inner[node - graph->n_roots] : 0;
  uint64_t req = own.szB - own.slop;
  own.szB -= inner;
  own.slop -= inner > req ? inner - req : 0;
  return own;
}

dmd_group_t dmd_nesting_group(const dmd_nesting_sizes_t *sizes, uint32_t node) {
  const dmd_graph_block_t *block = dmd_heapgraph_block(sizes->graph, node);
  dmd_own_size_t own = dmd_nesting_own(sizes, node);
  return (dmd_group_t){.req = own.szB - own.slop,
                       .slop = own.slop,
                       .num = 1,
                       .stack = dmd_heapgraph_profile_stack(sizes->graph, block->stack),
                       .reports = block->reports,
                       .tag = block->tag,
                       .thread = dmd_thread_number(block->thread)};
}

int64_t dmd_nesting_heap_szB(const dmd_heapgraph_t *graph) {
  dmd_nesting_sizes_t sizes;
  int64_t szB = 0;
  dmd_nesting_init(&sizes, graph);
  for (uint32_t node = dmd_heapgraph_first_block(graph); node < graph->graph.n_nodes; node++)
    szB += (int64_t)dmd_nesting_own(&sizes, node).szB;
  dmd_nesting_destroy(&sizes);
  return szB;
}

/* ---- Reports. ---- */

/* Outer blocks come first in a graph, so each outer set is complete when it is joined. */
void dmd_nesting_join_reports(dmd_heapgraph_t *graph) {
  for (uint32_t place = 1; place <= graph->blocks.last; place++) {
    dmd_graph_block_t *block = DMD_POOL_AT(&graph->blocks, dmd_graph_block_t, place);
    if (block->outer != DMD_NONE)
      block->reports = dmd_reports_join(&graph->profile.reports, block->reports,
                                        dmd_heapgraph_block(graph, block->outer)->reports);
  }
}

/* ---- Nearest roots. ---- */

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
