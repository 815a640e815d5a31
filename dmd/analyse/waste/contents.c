/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/waste/contents.h"

#include "analyse/waste/pinned.h"
#include "base/str.h"

/* A set of pairs. */
typedef struct {
  dmd_pool_t pool;
  dmd_table_t index;
} pairs_t;

typedef struct {
  uint32_t a, b;
} pair_t;

static bool pair_equal(const void *owner, uint32_t id, const void *key) {
  const pairs_t *pairs = owner;
  const pair_t *x = DMD_POOL_AT(&pairs->pool, const pair_t, id), *y = key;
  return x->a == y->a && x->b == y->b;
}

static void pairs_init(pairs_t *pairs, const dmd_env_t *env) {
  dmd_pool_init(&pairs->pool, env, "dmd.waste.contents", sizeof(pair_t));
  dmd_table_init(&pairs->index, env, "dmd.waste.contents", pair_equal, pairs);
}

static void pairs_destroy(pairs_t *pairs) {
  dmd_table_destroy(&pairs->index);
  dmd_pool_destroy(&pairs->pool);
}

/* True if it was not there yet. */
static bool add_pair(pairs_t *pairs, uint32_t a, uint32_t b) {
  pair_t pair = {a, b};
  uint32_t before = pairs->pool.last;
  uint64_t hash = dmd_table_hash(&pairs->index, (uint64_t)a << 32 | b);
  dmd_table_find_or_add(&pairs->index, &pairs->pool, hash, &pair);
  return pairs->pool.last > before;
}

typedef struct {
  dmd_waste_t *waste;
  pairs_t types;    /* contents, by their first block; names of blocks that have them */
  pairs_t findings; /* findings; contents in them */
  uint32_t run;     /* of dmd_resident_between */
} work_t;

/* One block of each type is needed. */
static void look_at_duplicate(work_t *work, const dmd_graph_contents_t *contents) {
  dmd_waste_t *w = work->waste;
  const uint32_t *names = w->keys->kinds->of;
  uint32_t node = contents->node, name = names[node];
  if (contents->same == DMD_NONE ||
      (names[contents->same] != name && add_pair(&work->types, contents->same, name)))
    return;
  uint32_t id = dmd_waste_add(w, DMD_WASTE_DUPLICATE, node, node, DMD_NONE,
                              dmd_nesting_own(&w->sizes, node).szB);
  if (id != DMD_NONE)
    dmd_waste_finding(w, id)->values += add_pair(&work->findings, id, contents->same);
}

/* Whether the program got the block filled with zeroes: from calloc, or a function with such a
 * name. */
static bool was_zeroed(const dmd_heapgraph_t *graph, uint32_t node) {
  uint32_t stack = dmd_heapgraph_block(graph, node)->stack;
  if (dmd_heapgraph_n_codes(graph, stack) == 0)
    return false;
  uint32_t code = dmd_heapgraph_stack_code(graph, stack, 0);
  if (dmd_heapgraph_code(graph, code)->n_frames == 0)
    return false;
  uint32_t frame = dmd_heapgraph_code_frame(graph, code, 0);
  const char *function = dmd_frames_location(&graph->profile.frames, frame).function;
  return function != NULL &&
         (dmd_str_find(function, "calloc") != NULL || dmd_str_find(function, "zalloc") != NULL);
}

/* Blocks in others would have pages counted again and again. */
static void add_resident(work_t *work, uint32_t finding, uint32_t node, uint64_t used,
                         uint64_t bytes) {
  const dmd_heapgraph_t *graph = work->waste->graph;
  const dmd_graph_block_t *block = dmd_heapgraph_block(graph, node);
  if (finding == DMD_NONE || graph->residents.last == 0)
    return;
  if (block->outer == DMD_NONE)
    bytes = dmd_resident_between(graph, &work->run, block->addr + used,
                                 block->addr + graph->graph.size[node]);
  dmd_waste_finding(work->waste, finding)->resident += bytes;
}

static void look_at_constant(work_t *work, uint32_t node) {
  uint64_t bytes = dmd_nesting_own(&work->waste->sizes, node).szB;
  uint32_t id = dmd_waste_add(work->waste, DMD_WASTE_CONSTANT, node, node, DMD_NONE, bytes);
  add_resident(work, id, node, 0, bytes);
}

/* A tail of zeroes may have been written, which is certain if new blocks had another content. */
static void look_at_tail(work_t *work, const dmd_graph_contents_t *contents) {
  dmd_waste_t *w = work->waste;
  uint32_t node = contents->node;
  uint64_t used = dmd_heapgraph_requested(w->graph, node) - contents->tail;
  bool is_new =
      contents->byte == w->graph->fill || (contents->byte == 0 && was_zeroed(w->graph, node));
  if (!is_new || contents->tail < used)
    return;
  uint64_t bytes =
      used == 0 ? dmd_nesting_own(&w->sizes, node).szB : dmd_waste_saved(w, node, contents->tail);
  uint32_t id = dmd_waste_add(w, DMD_WASTE_UNTOUCHED, node, node, DMD_NONE, bytes);
  if (id == DMD_NONE)
    return;
  add_resident(work, id, node, used, bytes);
  dmd_waste_finding(w, id)->used += used;
  dmd_waste_add_size(w, id, used, 0, bytes);
}

void dmd_waste_find_contents(dmd_waste_t *w) {
  const dmd_heapgraph_t *graph = w->graph;
  work_t work = {.waste = w, .run = 1};
  pairs_init(&work.types, graph->env);
  pairs_init(&work.findings, graph->env);
  for (uint32_t id = 1; id <= graph->contents.last; id++) {
    const dmd_graph_contents_t *contents =
        DMD_POOL_AT(&graph->contents, const dmd_graph_contents_t, id);
    bool is_all =
        contents->tail > 0 && contents->tail == dmd_heapgraph_requested(graph, contents->node);
    if (is_all && dmd_waste_is_unwritten(graph, contents)) {
      look_at_tail(&work, contents);
      continue;
    }
    if (is_all) {
      look_at_constant(&work, contents->node);
      continue;
    }
    look_at_duplicate(&work, contents);
    if (contents->tail > 0)
      look_at_tail(&work, contents);
  }
  pairs_destroy(&work.findings);
  pairs_destroy(&work.types);
}
