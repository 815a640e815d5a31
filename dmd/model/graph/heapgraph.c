/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/graph/heapgraph.h"

#include "base/mem.h"
#include "base/sort.h"

/* Initialises everything except the columns. */
static void init_rest(dmd_heapgraph_t *graph, const dmd_env_t *env, uint32_t n_roots) {
  *graph = (dmd_heapgraph_t){.env = env, .n_roots = n_roots};
  dmd_profile_init(&graph->profile, env);
  dmd_pool_init(&graph->objects, env, "dmd.heapgraph", sizeof(dmd_graph_object_t));
  dmd_pool_init(&graph->codes, env, "dmd.heapgraph", sizeof(dmd_graph_code_t));
  dmd_pool_init(&graph->stacks, env, "dmd.heapgraph", sizeof(dmd_graph_stack_t));
  dmd_pool_init(&graph->roots, env, "dmd.heapgraph", sizeof(dmd_graph_root_t));
  dmd_pool_init(&graph->code_frames, env, "dmd.heapgraph", sizeof(uint32_t));
  dmd_pool_init(&graph->stack_codes, env, "dmd.heapgraph", sizeof(uint32_t));
}

void dmd_heapgraph_init(dmd_heapgraph_t *graph, const dmd_env_t *env, uint32_t n_roots,
                        uint32_t n_blocks, uint32_t n_edges) {
  init_rest(graph, env, n_roots);
  dmd_graph_init(&graph->graph, env, 1 + n_roots + n_blocks, n_roots + n_edges, true);
  dmd_pool_init(&graph->blocks, env, "dmd.heapgraph", sizeof(dmd_graph_block_t));
  dmd_pool_init(&graph->interiors, env, "dmd.heapgraph", sizeof(dmd_graph_interior_t));
  dmd_pool_init(&graph->first_words, env, "dmd.heapgraph", sizeof(dmd_graph_first_word_t));
  for (uint32_t root = 1; root <= n_roots; root++)
    dmd_graph_add_edge(&graph->graph, root, 0);
  dmd_graph_end_node(&graph->graph);
}

void dmd_heapgraph_borrow(dmd_heapgraph_t *graph, const dmd_env_t *env,
                          const dmd_heapgraph_columns_t *c) {
  init_rest(graph, env, c->n_roots);
  dmd_graph_borrow(&graph->graph, env, 1 + c->n_roots + c->n_blocks, c->first, c->target, c->offset,
                   c->size);
  dmd_pool_borrow(&graph->blocks, env, "dmd.heapgraph", sizeof(dmd_graph_block_t), c->blocks,
                  c->n_blocks);
  dmd_pool_borrow(&graph->interiors, env, "dmd.heapgraph", sizeof(dmd_graph_interior_t),
                  c->interiors, c->n_interiors);
  dmd_pool_borrow(&graph->first_words, env, "dmd.heapgraph", sizeof(dmd_graph_first_word_t),
                  c->first_words, c->n_first_words);
}

void dmd_heapgraph_destroy(dmd_heapgraph_t *graph) {
  dmd_pool_destroy(&graph->first_words);
  dmd_pool_destroy(&graph->interiors);
  dmd_pool_destroy(&graph->stack_codes);
  dmd_pool_destroy(&graph->code_frames);
  dmd_pool_destroy(&graph->blocks);
  dmd_pool_destroy(&graph->roots);
  dmd_pool_destroy(&graph->stacks);
  dmd_pool_destroy(&graph->codes);
  dmd_pool_destroy(&graph->objects);
  dmd_graph_destroy(&graph->graph);
  dmd_profile_destroy(&graph->profile);
}

/* ---- Objects, codes and stacks. ---- */

uint32_t dmd_heapgraph_add_object(dmd_heapgraph_t *graph, const dmd_graph_object_t *object) {
  uint32_t id = dmd_pool_add(&graph->objects);
  dmd_graph_object_t *kept = DMD_POOL_AT(&graph->objects, dmd_graph_object_t, id);
  *kept = *object;
  kept->path = dmd_profile_keep(&graph->profile, object->path);
  kept->soname = dmd_profile_keep(&graph->profile, object->soname);
  if (object->n_build_id > 0) {
    uint32_t bytes = dmd_intern_bytes(&graph->profile.names, object->build_id, object->n_build_id);
    kept->build_id = dmd_intern_get(&graph->profile.names, bytes, &kept->n_build_id);
  }
  return id;
}

/* Appends n numbers to a pool used as an array; returns the previous length. */
static uint32_t append(dmd_pool_t *pool, const uint32_t *numbers, uint32_t n) {
  uint32_t before = pool->last;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t id = dmd_pool_add(pool);
    *DMD_POOL_AT(pool, uint32_t, id) = numbers[i];
  }
  return before;
}

uint32_t dmd_heapgraph_add_code(dmd_heapgraph_t *graph, uint32_t object, uint64_t addr,
                                const uint32_t *frames, uint32_t n_frames) {
  uint32_t id = dmd_pool_add(&graph->codes);
  *DMD_POOL_AT(&graph->codes, dmd_graph_code_t, id) =
      (dmd_graph_code_t){.object = object,
                         .addr = addr,
                         .first = append(&graph->code_frames, frames, n_frames),
                         .n_frames = n_frames};
  return id;
}

static uint32_t profile_stack(dmd_heapgraph_t *graph, const uint32_t *codes, uint32_t n) {
  uint32_t n_frames = 0;
  for (uint32_t i = 0; i < n; i++)
    n_frames += dmd_heapgraph_code(graph, codes[i])->n_frames;
  if (n_frames == 0)
    return DMD_NONE;
  uint32_t *frames = dmd_env_alloc(graph->env, "dmd.heapgraph", n_frames * sizeof *frames);
  uint32_t at = 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < dmd_heapgraph_code(graph, codes[i])->n_frames; j++)
      frames[at++] = dmd_heapgraph_code_frame(graph, codes[i], j);
  uint32_t stack = dmd_profile_stack(&graph->profile, frames, n_frames);
  dmd_env_free(graph->env, frames);
  return stack;
}

uint32_t dmd_heapgraph_add_stack(dmd_heapgraph_t *graph, const uint32_t *codes, uint32_t n) {
  uint32_t id = dmd_pool_add(&graph->stacks);
  *DMD_POOL_AT(&graph->stacks, dmd_graph_stack_t, id) =
      (dmd_graph_stack_t){.first = append(&graph->stack_codes, codes, n),
                          .n = n,
                          .in_profile = profile_stack(graph, codes, n)};
  return id;
}

static const dmd_graph_stack_t *stack_at(const dmd_heapgraph_t *graph, uint32_t stack) {
  return DMD_POOL_AT(&graph->stacks, const dmd_graph_stack_t, stack);
}

uint32_t dmd_heapgraph_n_codes(const dmd_heapgraph_t *graph, uint32_t stack) {
  return stack == DMD_NONE ? 0 : stack_at(graph, stack)->n;
}

uint32_t dmd_heapgraph_stack_code(const dmd_heapgraph_t *graph, uint32_t stack, uint32_t i) {
  return *DMD_POOL_AT(&graph->stack_codes, uint32_t, stack_at(graph, stack)->first + i + 1);
}

uint32_t dmd_heapgraph_code_frame(const dmd_heapgraph_t *graph, uint32_t code, uint32_t i) {
  return *DMD_POOL_AT(&graph->code_frames, uint32_t,
                      dmd_heapgraph_code(graph, code)->first + i + 1);
}

uint32_t dmd_heapgraph_profile_stack(const dmd_heapgraph_t *graph, uint32_t stack) {
  return stack == DMD_NONE ? DMD_NONE : stack_at(graph, stack)->in_profile;
}

/* ---- Nodes and edges. ---- */

void dmd_heapgraph_add_root(dmd_heapgraph_t *graph, const dmd_graph_root_t *root) {
  uint32_t node = dmd_pool_add(&graph->roots);
  dmd_graph_root_t *kept = DMD_POOL_AT(&graph->roots, dmd_graph_root_t, node);
  *kept = *root;
  kept->name = dmd_profile_keep(&graph->profile, root->name);
  graph->graph.size[node] = root->szB;
}

void dmd_heapgraph_add_block(dmd_heapgraph_t *graph, const dmd_graph_block_t *block,
                             uint64_t usable_szB) {
  uint32_t place = dmd_pool_add(&graph->blocks);
  *DMD_POOL_AT(&graph->blocks, dmd_graph_block_t, place) = *block;
  graph->graph.size[graph->n_roots + place] = usable_szB;
}

void dmd_heapgraph_add_edge(dmd_heapgraph_t *graph, uint32_t target, uint32_t offset) {
  dmd_graph_add_edge(&graph->graph, target, offset);
}

void dmd_heapgraph_add_interior(dmd_heapgraph_t *graph, uint32_t target, uint32_t offset,
                                uint64_t into, dmd_heuristic_t heuristic) {
  uint32_t id = dmd_pool_add(&graph->interiors);
  *DMD_POOL_AT(&graph->interiors, dmd_graph_interior_t, id) = (dmd_graph_interior_t){
      .edge = graph->graph.first[graph->graph.n_ended + 1], .into = into, .heuristic = heuristic};
  dmd_graph_add_edge(&graph->graph, target, offset);
}

void dmd_heapgraph_set_first_word(dmd_heapgraph_t *graph, uint32_t object, uint64_t addr) {
  uint32_t id = dmd_pool_add(&graph->first_words);
  *DMD_POOL_AT(&graph->first_words, dmd_graph_first_word_t, id) =
      (dmd_graph_first_word_t){.node = graph->graph.n_ended, .object = object, .addr = addr};
}

void dmd_heapgraph_end_node(dmd_heapgraph_t *graph) {
  dmd_graph_end_node(&graph->graph);
}

/* ---- Lookup. ---- */

const dmd_graph_interior_t *dmd_heapgraph_interior(const dmd_heapgraph_t *graph, uint32_t edge) {
  const dmd_pool_t *all = &graph->interiors;
  uint32_t place;
  DMD_SEARCH(place, 1, all->last + 1,
             DMD_POOL_AT(all, const dmd_graph_interior_t, place)->edge < edge);
  if (place > all->last)
    return NULL;
  const dmd_graph_interior_t *found = DMD_POOL_AT(all, const dmd_graph_interior_t, place);
  return found->edge == edge ? found : NULL;
}

const dmd_graph_first_word_t *dmd_heapgraph_first_word(const dmd_heapgraph_t *graph,
                                                       uint32_t node) {
  const dmd_pool_t *all = &graph->first_words;
  uint32_t place;
  DMD_SEARCH(place, 1, all->last + 1,
             DMD_POOL_AT(all, const dmd_graph_first_word_t, place)->node < node);
  if (place > all->last)
    return NULL;
  const dmd_graph_first_word_t *found = DMD_POOL_AT(all, const dmd_graph_first_word_t, place);
  return found->node == node ? found : NULL;
}

/* An empty block contains its start address, as everywhere. */
static bool is_around(const dmd_heapgraph_t *graph, uint32_t node, uint64_t addr) {
  uint64_t szB = graph->graph.size[node];
  return addr - dmd_heapgraph_block(graph, node)->addr < (szB > 0 ? szB : 1);
}

uint32_t dmd_heapgraph_find(const dmd_heapgraph_t *graph, uint64_t addr) {
  uint32_t first = dmd_heapgraph_first_block(graph), node;
  DMD_SEARCH(node, first, first + graph->blocks.last,
             dmd_heapgraph_block(graph, node)->addr <= addr);
  if (node == first)
    return DMD_GRAPH_ALL;
  /* The last block that starts at or before the address, or a block around it. */
  node--;
  while (node != DMD_NONE && !is_around(graph, node, addr))
    node = dmd_heapgraph_block(graph, node)->outer;
  return node;
}
