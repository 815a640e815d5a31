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

/* ---- The tree of stacks. ---- */

static bool is_same(const void *owner, uint32_t id, const void *key) {
  const dmd_call_t *call = dmd_calltree_at(owner, id), *other = key;
  return call->caller == other->caller && call->frame == other->frame;
}

void dmd_calltree_init(dmd_calltree_t *tree, const dmd_profile_t *profile, uint32_t max_frames) {
  *tree = (dmd_calltree_t){.profile = profile, .max_frames = max_frames};
  dmd_pool_init(&tree->calls, profile->env, "dmd.calltree", sizeof(dmd_call_t));
  dmd_pool_init(&tree->of_stack, profile->env, "dmd.calltree", sizeof(uint32_t));
  dmd_table_init(&tree->index, profile->env, "dmd.calltree", is_same, tree);
}

void dmd_calltree_destroy(dmd_calltree_t *tree) {
  dmd_table_destroy(&tree->index);
  dmd_pool_destroy(&tree->of_stack);
  dmd_pool_destroy(&tree->calls);
}

static uint32_t add_call(dmd_calltree_t *tree, uint32_t caller, uint32_t frame) {
  dmd_call_t key = {.caller = caller, .frame = frame};
  uint64_t hash = dmd_hash_u64(dmd_table_hash(&tree->index, caller) ^ frame);
  uint32_t id = dmd_table_find(&tree->index, hash, &key);
  if (id != DMD_NONE)
    return id;
  id = dmd_pool_add(&tree->calls);
  uint32_t *first = caller == DMD_NONE ? &tree->outermost : &dmd_calltree_at(tree, caller)->callee;
  key.next = *first;
  *first = id;
  *dmd_calltree_at(tree, id) = key;
  dmd_table_add(&tree->index, hash, id);
  return id;
}

uint32_t dmd_calltree_stack(dmd_calltree_t *tree, uint32_t stack) {
  if (stack == DMD_NONE)
    return DMD_NONE;
  dmd_pool_reach(&tree->of_stack, stack);
  uint32_t *of_stack = DMD_POOL_AT(&tree->of_stack, uint32_t, stack);
  if (*of_stack == DMD_NONE) {
    size_t n;
    const uint32_t *frames = dmd_profile_frames(tree->profile, stack, &n);
    uint32_t call = DMD_NONE;
    for (size_t i = n < tree->max_frames ? n : tree->max_frames; i > 0; i--)
      call = add_call(tree, call, frames[i - 1]);
    *of_stack = call;
  }
  return *of_stack;
}
