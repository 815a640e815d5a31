/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/waste/findings.h"

#include "base/str.h"

const char *dmd_waste_kind_name(dmd_waste_kind_t kind) {
  static const char *const names[DMD_N_WASTE_KINDS] = {"lost",      "constant",  "duplicate",
                                                       "container", "untouched", "padding",
                                                       "small",     "slop",      "pinned"};
  return names[kind];
}

bool dmd_waste_needs_contents(const char *kind) {
  static const dmd_waste_kind_t kinds[] = {DMD_WASTE_CONSTANT, DMD_WASTE_DUPLICATE,
                                           DMD_WASTE_UNTOUCHED};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (kind != NULL && dmd_str_equal(dmd_waste_kind_name(kinds[i]), kind))
      return true;
  return false;
}

/* ---- The allocator. ---- */

static void find_model(dmd_waste_t *w) {
  const char *name = w->graph->profile.run.allocator;
  w->word_szB = w->graph->profile.run.word_szB == 4 ? 4 : 8;
  for (int i = 0; name != NULL && i < DMD_N_ALLOCATORS && !w->has_model; i++) {
    w->allocator = (dmd_allocator_t)i;
    w->has_model = dmd_str_equal(name, dmd_allocator_name(w->allocator));
  }
}

bool dmd_waste_is_allocated(const dmd_waste_t *w, uint32_t node) {
  return (dmd_heapgraph_block(w->graph, node)->flags & (DMD_GRAPH_ANNOUNCED | DMD_GRAPH_POOLED)) ==
         0;
}

/* The model may not know why a block has its size, for example after realloc. */
static bool follows_model(const dmd_waste_t *w, uint32_t node) {
  return w->has_model && dmd_waste_is_allocated(w, node) &&
         dmd_waste_usable(w, dmd_heapgraph_requested(w->graph, node)) == w->graph->graph.size[node];
}

static uint64_t given_back(const dmd_waste_t *w, uint32_t node, uint64_t less) {
  uint64_t requested = dmd_heapgraph_requested(w->graph, node);
  if (less > requested)
    less = requested;
  if (less == requested)
    return w->graph->graph.size[node];
  if (!follows_model(w, node))
    return less;
  return w->graph->graph.size[node] - dmd_waste_usable(w, requested - less);
}

uint64_t dmd_waste_saved(const dmd_waste_t *w, uint32_t node, uint64_t less) {
  uint64_t saved = given_back(w, node, less), own = dmd_nesting_own(&w->sizes, node).szB;
  return saved < own ? saved : own;
}

/* ---- Findings. ---- */

static bool finding_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_waste_finding_t *a = dmd_waste_finding(owner, id), *b = key;
  return a->kind == b->kind && a->name == b->name && a->stack == b->stack && a->type == b->type;
}

static bool size_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_waste_size_t *a = dmd_waste_size(owner, id), *b = key;
  return a->finding == b->finding && a->szB == b->szB && a->usable == b->usable;
}

static uint32_t place_of(const dmd_waste_t *w, uint32_t node) {
  return node - dmd_heapgraph_first_block(w->graph);
}

static uint32_t stack_of(const dmd_waste_t *w, uint32_t node) {
  uint32_t stack =
      dmd_heapgraph_profile_stack(w->graph, dmd_heapgraph_block(w->graph, node)->stack);
  return w->records->cut[stack];
}

static uint32_t find_finding(dmd_waste_t *w, dmd_waste_kind_t kind, uint32_t of, uint32_t type) {
  dmd_waste_finding_t key = {
      .kind = kind, .name = w->keys->kinds->of[of], .stack = stack_of(w, of), .type = type};
  uint64_t hash = dmd_table_hash(&w->index, kind | (uint64_t)key.name << 32);
  hash = dmd_hash_u64(hash ^ key.stack ^ (uint64_t)type << 32);
  return dmd_table_find_or_add(&w->index, &w->findings, hash, &key);
}

bool dmd_waste_are_alike(const dmd_waste_t *w, uint32_t a, uint32_t b) {
  return w->keys->kinds->of[a] == w->keys->kinds->of[b] && stack_of(w, a) == stack_of(w, b);
}

/* Pinned bytes are not the block's own. */
static void note_best(dmd_waste_t *w, dmd_waste_finding_t *finding, uint32_t id, uint32_t place,
                      uint64_t bytes) {
  if (finding->kind == DMD_WASTE_PINNED) {
    finding->only += w->best[place] == 0;
    return;
  }
  if (bytes > w->best[place] ||
      (bytes == w->best[place] && finding->kind < dmd_waste_finding(w, w->best_of[place])->kind)) {
    w->best[place] = bytes;
    w->best_of[place] = id;
  }
}

uint32_t dmd_waste_add(dmd_waste_t *w, dmd_waste_kind_t kind, uint32_t node, uint32_t of,
                       uint32_t type, uint64_t bytes) {
  if (bytes == 0 || (w->options->kinds >> kind & 1) == 0 ||
      (w->options->picks != NULL && !w->options->picks[node]))
    return DMD_NONE;
  uint32_t id = find_finding(w, kind, of, type), place = place_of(w, node);
  dmd_waste_finding_t *finding = dmd_waste_finding(w, id);
  finding->blocks++;
  finding->bytes += bytes;
  finding->requested += dmd_heapgraph_requested(w->graph, node);
  finding->usable += w->graph->graph.size[node];
  if (bytes > finding->example_szB) {
    finding->example_szB = bytes;
    finding->example = of;
  }
  note_best(w, finding, id, place, bytes);
  return id;
}

void dmd_waste_add_size(dmd_waste_t *w, uint32_t finding, uint64_t szB, uint64_t usable,
                        uint64_t bytes) {
  dmd_waste_size_t key = {.finding = finding, .szB = szB, .usable = usable};
  uint64_t hash = dmd_hash_u64(dmd_table_hash(&w->sizes_index, szB) ^ finding ^ usable << 32);
  dmd_waste_size_t *size =
      dmd_waste_size(w, dmd_table_find_or_add(&w->sizes_index, &w->by_size, hash, &key));
  size->blocks++;
  size->bytes += bytes;
}

/* ---- The pools. ---- */

void dmd_waste_findings_init(dmd_waste_t *w, dmd_nodekeys_t *keys, const dmd_records_t *records,
                             const dmd_waste_options_t *options) {
  const dmd_heapgraph_t *graph = keys->graph;
  const dmd_env_t *env = graph->env;
  size_t n_blocks = graph->graph.n_nodes - graph->n_roots;
  *w = (dmd_waste_t){.keys = keys, .graph = graph, .records = records, .options = options};
  find_model(w);
  dmd_nesting_init(&w->sizes, graph);
  w->heap_szB = (uint64_t)dmd_nesting_heap_szB(graph);
  dmd_pool_init(&w->findings, env, "dmd.waste", sizeof(dmd_waste_finding_t));
  dmd_pool_init(&w->by_size, env, "dmd.waste", sizeof(dmd_waste_size_t));
  dmd_table_init(&w->index, env, "dmd.waste", finding_equal, w);
  dmd_table_init(&w->sizes_index, env, "dmd.waste", size_equal, w);
  w->best = dmd_env_alloc(env, "dmd.waste", (n_blocks + 1) * sizeof *w->best);
  w->best_of = dmd_env_alloc(env, "dmd.waste", (n_blocks + 1) * sizeof *w->best_of);
  dmd_mem_zero(w->best, n_blocks * sizeof *w->best);
}

void dmd_waste_findings_destroy(dmd_waste_t *w) {
  const dmd_env_t *env = w->graph->env;
  dmd_env_free(env, w->best_of);
  dmd_env_free(env, w->best);
  dmd_table_destroy(&w->sizes_index);
  dmd_table_destroy(&w->index);
  dmd_pool_destroy(&w->by_size);
  dmd_pool_destroy(&w->findings);
  dmd_nesting_destroy(&w->sizes);
}
