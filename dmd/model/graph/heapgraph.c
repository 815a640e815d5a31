/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/graph/heapgraph.h"

#include "base/fnname.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/wire.h"

/* ---- Nodes and edges. ---- */

static void *array(const dmd_env_t *env, uint64_t n, size_t element_szB) {
  return dmd_env_alloc(env, "dmd.graph", (size_t)(n > 0 ? n : 1) * element_szB);
}

void dmd_graph_init(dmd_graph_t *graph, const dmd_env_t *env, uint32_t n_nodes, uint32_t max_edges,
                    bool with_offsets) {
  *graph = (dmd_graph_t){.env = env, .n_nodes = n_nodes, .max_edges = max_edges};
  graph->first = array(env, (uint64_t)n_nodes + 1, sizeof *graph->first);
  graph->target = array(env, max_edges, sizeof *graph->target);
  if (with_offsets)
    graph->offset = array(env, max_edges, sizeof *graph->offset);
  graph->size = array(env, n_nodes, sizeof *graph->size);
  dmd_mem_zero(graph->size, n_nodes * sizeof *graph->size);
  graph->first[0] = 0;
  if (n_nodes > 0)
    graph->first[1] = 0;
}

void dmd_graph_borrow(dmd_graph_t *graph, const dmd_env_t *env, uint32_t n_nodes, uint32_t *first,
                      uint32_t *target, uint32_t *offset, uint64_t *size) {
  *graph = (dmd_graph_t){.env = env,
                         .n_nodes = n_nodes,
                         .max_edges = first[n_nodes],
                         .n_ended = n_nodes,
                         .first = first,
                         .target = target,
                         .offset = offset,
                         .size = size,
                         .is_borrowed = true};
}

void dmd_graph_destroy(dmd_graph_t *graph) {
  if (graph->is_borrowed)
    return;
  dmd_env_free(graph->env, graph->size);
  dmd_env_free(graph->env, graph->offset);
  dmd_env_free(graph->env, graph->target);
  dmd_env_free(graph->env, graph->first);
}

void dmd_graph_add_edge(dmd_graph_t *graph, uint32_t target, uint32_t offset) {
  uint32_t edge = graph->first[graph->n_ended + 1]++;
  if (edge >= graph->max_edges || target >= graph->n_nodes)
    graph->env->panic(graph->env->ctx, "too many edges for the graph");
  graph->target[edge] = target;
  if (graph->offset != NULL)
    graph->offset[edge] = offset;
}

void dmd_graph_end_node(dmd_graph_t *graph) {
  graph->n_ended++;
  if (graph->n_ended < graph->n_nodes)
    graph->first[graph->n_ended + 1] = graph->first[graph->n_ended];
}

uint32_t dmd_graph_source(const dmd_graph_t *graph, uint32_t edge) {
  uint32_t next;
  DMD_SEARCH(next, 1, graph->n_nodes, graph->first[next] <= edge);
  return next - 1;
}

/* ---- Packed offsets. ---- */

/* Calls `put` with the difference of each edge's offset to the previous one in its node, or to
 * 0. */
static void for_each_difference(const dmd_graph_t *graph, void (*put)(void *ctx, uint32_t v),
                                void *ctx) {
  for (uint32_t node = 0; node < graph->n_ended; node++) {
    uint32_t last = 0;
    for (uint32_t e = graph->first[node]; e < graph->first[node + 1]; e++) {
      put(ctx, graph->offset[e] - last);
      last = graph->offset[e];
    }
  }
}

static void add_szB(void *szB, uint32_t v) {
  *(size_t *)szB += dmd_wire_number_szB(v);
}

static void put(void *end, uint32_t v) {
  char **at = end;
  *at = dmd_wire_put(*at, v);
}

void dmd_graph_pack_offsets(dmd_graph_t *graph, dmd_packed_offsets_t *packed) {
  *packed = (dmd_packed_offsets_t){.graph = graph};
  if (graph->offset == NULL || graph->is_borrowed)
    return;
  size_t szB = 0;
  for_each_difference(graph, add_szB, &szB);
  packed->bytes = array(graph->env, szB, 1);
  char *end = packed->bytes;
  for_each_difference(graph, put, &end);
  dmd_env_free(graph->env, graph->offset);
  graph->offset = NULL;
}

void dmd_graph_unpack_offsets(dmd_packed_offsets_t *packed) {
  dmd_graph_t *graph = packed->graph;
  const char *at = packed->bytes;
  if (at == NULL)
    return;
  graph->offset = array(graph->env, graph->max_edges, sizeof *graph->offset);
  for (uint32_t node = 0; node < graph->n_ended; node++) {
    uint32_t last = 0;
    for (uint32_t e = graph->first[node]; e < graph->first[node + 1]; e++)
      graph->offset[e] = last += (uint32_t)dmd_wire_get(&at);
  }
  dmd_env_free(graph->env, packed->bytes);
}

/* ---- Blocks and roots. ---- */

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
  dmd_pool_init(&graph->claims, env, "dmd.heapgraph", sizeof(dmd_graph_claim_t));
  dmd_intern_init(&graph->claim_functions, env, "dmd.heapgraph");
}

void dmd_heapgraph_init(dmd_heapgraph_t *graph, const dmd_env_t *env, uint32_t n_roots,
                        uint32_t n_blocks, uint32_t n_edges) {
  init_rest(graph, env, n_roots);
  dmd_graph_init(&graph->graph, env, 1 + n_roots + n_blocks, n_roots + n_edges, true);
  dmd_pool_init(&graph->blocks, env, "dmd.heapgraph", sizeof(dmd_graph_block_t));
  dmd_pool_init(&graph->interiors, env, "dmd.heapgraph", sizeof(dmd_graph_interior_t));
  dmd_pool_init(&graph->first_words, env, "dmd.heapgraph", sizeof(dmd_graph_first_word_t));
  dmd_pool_init(&graph->contents, env, "dmd.heapgraph", sizeof(dmd_graph_contents_t));
  dmd_pool_init(&graph->numbers, env, "dmd.heapgraph", sizeof(dmd_graph_number_t));
  dmd_pool_init(&graph->residents, env, "dmd.heapgraph", sizeof(dmd_graph_resident_t));
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
  dmd_pool_borrow(&graph->contents, env, "dmd.heapgraph", sizeof(dmd_graph_contents_t), c->contents,
                  c->n_contents);
  dmd_pool_borrow(&graph->numbers, env, "dmd.heapgraph", sizeof(dmd_graph_number_t), c->numbers,
                  c->n_numbers);
  dmd_pool_borrow(&graph->residents, env, "dmd.heapgraph", sizeof(dmd_graph_resident_t),
                  c->residents, c->n_residents);
}

void dmd_heapgraph_destroy(dmd_heapgraph_t *graph) {
  dmd_intern_destroy(&graph->claim_functions);
  dmd_pool_destroy(&graph->claims);
  dmd_pool_destroy(&graph->residents);
  dmd_pool_destroy(&graph->numbers);
  dmd_pool_destroy(&graph->contents);
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

void dmd_heapgraph_set_contents(dmd_heapgraph_t *graph, const dmd_graph_contents_t *contents) {
  uint32_t id = dmd_pool_add(&graph->contents);
  dmd_graph_contents_t *kept = DMD_POOL_AT(&graph->contents, dmd_graph_contents_t, id);
  *kept = *contents;
  kept->node = graph->graph.n_ended;
}

void dmd_heapgraph_end_node(dmd_heapgraph_t *graph) {
  dmd_graph_end_node(&graph->graph);
}

void dmd_heapgraph_add_number(dmd_heapgraph_t *graph, const dmd_graph_number_t *number) {
  uint32_t id = dmd_pool_add(&graph->numbers);
  *DMD_POOL_AT(&graph->numbers, dmd_graph_number_t, id) = *number;
}

uint64_t dmd_heapgraph_number(const dmd_heapgraph_t *graph, uint32_t node, uint64_t offset) {
  uint32_t low = 1, high = graph->numbers.last + 1;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const dmd_graph_number_t *number =
        DMD_POOL_AT(&graph->numbers, const dmd_graph_number_t, middle);
    if (number->node == node && number->offset == offset)
      return number->value;
    if (number->node < node || (number->node == node && number->offset < offset))
      low = middle + 1;
    else
      high = middle;
  }
  return 0;
}

void dmd_heapgraph_add_resident(dmd_heapgraph_t *graph, const dmd_graph_resident_t *resident) {
  uint32_t id = dmd_pool_add(&graph->residents);
  *DMD_POOL_AT(&graph->residents, dmd_graph_resident_t, id) = *resident;
}

void dmd_heapgraph_add_claim(dmd_heapgraph_t *graph, const dmd_graph_claim_t *claim) {
  uint32_t id = dmd_pool_add(&graph->claims);
  *DMD_POOL_AT(&graph->claims, dmd_graph_claim_t, id) = *claim;
}

/* ---- Lookup. ---- */

/* The body of a function: returns the element whose field is the key, of a pool in ascending order
 * of that field; NULL: there is none. */
#define RETURN_FOUND(all, type, field, key)                                                        \
  uint32_t place;                                                                                  \
  DMD_SEARCH(place, 1, (all)->last + 1, DMD_POOL_AT(all, const type, place)->field < (key));       \
  if (place > (all)->last)                                                                         \
    return NULL;                                                                                   \
  const type *found = DMD_POOL_AT(all, const type, place);                                         \
  return found->field == (key) ? found : NULL

const dmd_graph_interior_t *dmd_heapgraph_interior(const dmd_heapgraph_t *graph, uint32_t edge) {
  RETURN_FOUND(&graph->interiors, dmd_graph_interior_t, edge, edge);
}

const dmd_graph_first_word_t *dmd_heapgraph_first_word(const dmd_heapgraph_t *graph,
                                                       uint32_t node) {
  RETURN_FOUND(&graph->first_words, dmd_graph_first_word_t, node, node);
}

const dmd_graph_contents_t *dmd_heapgraph_contents(const dmd_heapgraph_t *graph, uint32_t node) {
  RETURN_FOUND(&graph->contents, dmd_graph_contents_t, node, node);
}

#undef RETURN_FOUND

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

/* ---- Names of roots. ---- */

static void append_object(const dmd_heapgraph_t *graph, uint32_t object, dmd_strbuf_t *to) {
  const char *path = object == DMD_NONE ? NULL : dmd_heapgraph_object(graph, object)->path;
  if (path == NULL)
    return;
  dmd_strbuf_str(to, " of ");
  dmd_strbuf_str(to, dmd_path_base(path));
}

static void append_thread(const dmd_graph_root_t *root, dmd_strbuf_t *to) {
  if (root->thread == 0)
    return;
  dmd_strbuf_str(to, " of thread ");
  dmd_strbuf_u64(to, root->thread);
}

/* " in main", if the frame's function is known. */
static void append_function(const dmd_heapgraph_t *graph, uint32_t code, dmd_strbuf_t *to) {
  uint32_t n_frames = code == DMD_NONE ? 0 : dmd_heapgraph_code(graph, code)->n_frames;
  if (n_frames == 0)
    return;
  /* The last frame is the function that the others are inlined into. */
  uint32_t frame = dmd_heapgraph_code_frame(graph, code, n_frames - 1);
  const char *function = dmd_frames_location(&graph->profile.frames, frame).function;
  if (function == NULL)
    return;
  dmd_strbuf_str(to, " in ");
  dmd_fnname_short(to, function, dmd_str_length(function));
}

void dmd_root_name(const dmd_heapgraph_t *graph, uint32_t node, dmd_strbuf_t *to) {
  if (node == DMD_GRAPH_ALL) {
    dmd_strbuf_str(to, "roots");
    return;
  }
  const dmd_graph_root_t *root = dmd_heapgraph_root(graph, node);
  static const char *const kinds[DMD_N_ROOT_KINDS] = {"other memory", "data", "stack", "registers",
                                                      "thread-local storage"};
  dmd_strbuf_str(to, root->name != NULL ? root->name : kinds[root->kind]);
  if (root->name == NULL && root->kind == DMD_ROOT_DATA)
    append_object(graph, root->object, to);
  else if (root->name == NULL || root->kind == DMD_ROOT_THREAD)
    append_thread(root, to);
  if (root->kind == DMD_ROOT_STACK)
    append_function(graph, root->code, to);
}
