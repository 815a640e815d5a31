/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/pagegraph.h"

#include "analyse/graph/select.h"
#include "base/limits.h"
#include "base/str.h"

/* ---- Graphs. ---- */

void dmd_session_add_graph(dmd_session_t *page, const char *name, uint32_t beside,
                           dmd_heapgraph_t *heap, dmd_typing_t *typing) {
  uint32_t place = dmd_pool_add(&page->graphs);
  dmd_session_graph_t **to = DMD_POOL_AT(&page->graphs, dmd_session_graph_t *, place);
  *to = NULL;
  dmd_session_graph_t *graph = dmd_env_alloc(page->env, "dmd.page.graph", sizeof *graph);
  *graph =
      (dmd_session_graph_t){.number = place - 1, .beside = beside, .heap = heap, .typing = typing};
  dmd_strbuf_init(&graph->name, page->env);
  dmd_strbuf_str(&graph->name, name);
  dmd_strbuf_init(&graph->census_of, page->env);
  dmd_strbuf_init(&graph->rows_of, page->env);
  *to = graph;
}

static void destroy_graph(dmd_session_graph_t *graph) {
  const dmd_env_t *env = graph->name.env;
  if (graph->has_waste)
    dmd_waste_destroy(&graph->waste);
  if (graph->has_rows)
    dmd_retainedrows_destroy(&graph->rows);
  if (graph->has_census)
    dmd_census_destroy(&graph->census);
  if (graph->has_hint)
    dmd_owner_hint_destroy(&graph->hint);
  if (graph->has_owners)
    dmd_owners_destroy(&graph->owners);
  if (graph->has_records)
    dmd_records_destroy(&graph->records);
  if (graph->has_retained)
    dmd_retained_destroy(&graph->retained);
  if (graph->has_kinds) {
    dmd_nodekeys_destroy(&graph->keys);
    dmd_kinds_destroy(&graph->kinds);
  }
  dmd_strbuf_destroy(&graph->rows_of);
  dmd_strbuf_destroy(&graph->census_of);
  dmd_strbuf_destroy(&graph->name);
  dmd_env_free(env, graph);
}

void dmd_session_forget_graphs(dmd_session_t *page) {
  for (uint32_t i = 0; i < dmd_session_n_graphs(page); i++)
    destroy_graph(dmd_session_graph(page, i));
  dmd_pool_destroy(&page->graphs);
}

dmd_session_graph_t *dmd_session_graph_beside(const dmd_session_t *page, uint64_t file) {
  uint64_t alone = dmd_session_n_files(page); /* the number of the next such graph */
  for (uint32_t i = 0; i < dmd_session_n_graphs(page); i++) {
    dmd_session_graph_t *graph = dmd_session_graph(page, i);
    if ((graph->beside == DMD_SESSION_ALONE ? alone++ : graph->beside) == file)
      return graph;
  }
  return NULL;
}

static void make_kinds(dmd_session_graph_t *graph) {
  if (graph->has_kinds)
    return;
  uint64_t max_frames = 0;
  dmd_str_to_u64(DMD_FRAMES_SHOWN, 10, &max_frames);
  dmd_kinds_init(&graph->kinds, graph->typing);
  dmd_nodekeys_init(&graph->keys, &graph->kinds, (uint32_t)max_frames);
  graph->has_kinds = true;
}

dmd_nodekeys_t *dmd_session_graph_keys(dmd_session_graph_t *graph) {
  make_kinds(graph);
  return &graph->keys;
}

/* The graph that a key names, by its own number or by its file's. */
static dmd_session_graph_t *find_graph(const dmd_session_t *page, dmd_query_t *query,
                                       const char *key, bool is_file) {
  uint32_t n = dmd_session_n_graphs(page);
  dmd_session_graph_t *graph = NULL;
  uint64_t number = dmd_query_number(query, key, 0, is_file ? UINT32_MAX : n - 1, 0);
  if (query->failed)
    return NULL;
  graph =
      is_file ? dmd_session_graph_beside(page, number) : dmd_session_graph(page, (uint32_t)number);
  if (graph == NULL)
    dmd_query_reject(query, "this file has no heap graph", DMD_SESSION_GRAPH_HINT);
  else
    make_kinds(graph);
  return graph;
}

dmd_session_graph_t *dmd_session_graph_of(const dmd_session_t *page, dmd_query_t *query) {
  bool has_number = dmd_query_str(query, "graph", NULL) != NULL;
  if (dmd_session_n_graphs(page) == 0) {
    dmd_query_reject(query, "there is no heap graph", DMD_SESSION_GRAPH_HINT);
    return NULL;
  }
  bool is_file = !has_number && (dmd_query_str(query, "of", NULL) != NULL ||
                                 dmd_session_graph_beside(page, 0) != NULL);
  return find_graph(page, query, is_file ? "of" : "graph", is_file);
}

bool dmd_session_old_graph_of(const dmd_session_t *page, dmd_query_t *query,
                              dmd_session_graph_t **old) {
  *old = NULL;
  if (dmd_query_str(query, "old", NULL) != NULL && dmd_session_n_graphs(page) > 0)
    *old = find_graph(page, query, "old", dmd_query_str(query, "graph", NULL) == NULL);
  return !query->failed;
}

const dmd_retained_t *dmd_session_retained(dmd_session_graph_t *graph) {
  if (!graph->has_retained)
    dmd_retained_init(&graph->retained, graph->heap, graph->typing);
  graph->has_retained = true;
  return &graph->retained;
}

const dmd_records_t *dmd_session_graph_records(dmd_session_graph_t *graph) {
  if (!graph->has_records) {
    if (dmd_groups_count(&graph->heap->profile.groups) == 0)
      dmd_heapgraph_add_groups(graph->heap, NULL);
    dmd_records_init(&graph->records, &graph->heap->profile, graph->keys.max_frames,
                     DMD_SORT_USABLE);
  }
  graph->has_records = true;
  return &graph->records;
}

const dmd_owners_t *dmd_session_owners(dmd_session_graph_t *graph) {
  const dmd_records_t *records = dmd_session_graph_records(graph);
  if (!graph->has_owners)
    dmd_owners_init(&graph->owners, graph->heap, &graph->kinds, records, NULL);
  graph->has_owners = true;
  return &graph->owners;
}

const dmd_waste_t *dmd_session_waste(dmd_session_graph_t *graph, uint64_t least_szB) {
  make_kinds(graph);
  const dmd_records_t *records = dmd_session_graph_records(graph);
  if (graph->has_waste && graph->waste_options.least_szB == least_szB)
    return &graph->waste;
  if (graph->has_waste)
    dmd_waste_destroy(&graph->waste);
  graph->has_waste = false;
  graph->waste_options = (dmd_waste_options_t){.kinds = ~0u, .least_szB = least_szB};
  dmd_waste_init(&graph->waste, &graph->keys, records, &graph->waste_options);
  graph->has_waste = true;
  return &graph->waste;
}

const dmd_owner_hint_t *dmd_session_owner_hint(const dmd_session_t *page, uint32_t file,
                                               uint32_t max_frames) {
  dmd_session_graph_t *graph = dmd_session_graph_beside(page, file);
  if (graph == NULL || graph->heap->graph.n_nodes > DMD_PAGE_MAX_ADVISED ||
      graph->heap->profile.mode != DMD_MODE_DARK_MATTER)
    return NULL;
  make_kinds(graph);
  if (graph->keys.max_frames != max_frames)
    return NULL;
  if (!graph->has_hint) {
    graph->owners_view =
        (dmd_owners_view_t){.owners = dmd_session_owners(graph), .namer = graph->namer};
    dmd_owner_hint_init(&graph->hint, &graph->owners_view);
  }
  graph->has_hint = true;
  return &graph->hint;
}

/* ---- Filters. ---- */

void dmd_session_filters_init(dmd_session_filters_t *filters, const dmd_env_t *env,
                              const dmd_query_t *query) {
  const char *text = dmd_query_str(query, "filter", "");
  size_t n = dmd_str_length(text), n_lines = 1;
  *filters = (dmd_session_filters_t){.env = env};
  filters->text = dmd_env_alloc(env, "dmd.page.filters", n + 1);
  dmd_mem_copy(filters->text, text, n + 1);
  for (size_t i = 0; i < n; i++)
    n_lines += text[i] == '\n';
  filters->filters = dmd_env_alloc(env, "dmd.page.filters", n_lines * sizeof *filters->filters);
  for (size_t i = 0, start = 0; i <= n; i++) {
    if (text[i] != '\n' && text[i] != '\0')
      continue;
    filters->text[i] = '\0';
    if (i > start)
      dmd_nodefilter_init(&filters->filters[filters->n++], env, filters->text + start);
    start = i + 1;
  }
}

void dmd_session_filters_destroy(dmd_session_filters_t *filters) {
  for (uint32_t i = 0; i < filters->n; i++)
    dmd_nodefilter_destroy(&filters->filters[i]);
  dmd_env_free(filters->env, filters->filters);
  dmd_env_free(filters->env, filters->text);
}

bool *dmd_session_picks(dmd_session_graph_t *graph, dmd_session_filters_t *filters) {
  uint32_t n = graph->heap->graph.n_nodes;
  if (filters->n == 0)
    return NULL;
  bool *picks = dmd_env_alloc(filters->env, "dmd.page.picks", n * sizeof *picks);
  for (uint32_t node = 0; node < n; node++)
    picks[node] = dmd_heapgraph_is_block(graph->heap, node) &&
                  dmd_nodefilters_pass(filters->filters, filters->n, &graph->keys, node);
  return picks;
}

/* Keeps the picked ones among the chosen nodes, or among all. */
static void keep_picked(dmd_bitset_t *nodes, const bool *picks, bool of_all, uint32_t n) {
  dmd_bitset_t picked;
  dmd_bitset_init(&picked, nodes->env, "dmd.page.choose", n);
  for (uint32_t node = 0; node < n; node++)
    if (picks[node] && (of_all || dmd_bitset_has(nodes, node)))
      dmd_bitset_add(&picked, node);
  dmd_bitset_destroy(nodes);
  *nodes = picked;
}

bool dmd_session_choose(dmd_bitset_t *nodes, bool *all, dmd_session_graph_t *graph,
                        dmd_query_t *query, const char *key) {
  uint32_t n = graph->heap->graph.n_nodes;
  const char *text = dmd_query_str(query, key, ""), *why = NULL;
  bool of_all = text[0] == '\0';
  dmd_bitset_init(nodes, graph->heap->env, "dmd.page.choose", n);
  if (!of_all &&
      dmd_select(nodes, &graph->kinds, dmd_session_graph_records(graph), text, &why) == 0)
    return dmd_query_reject(
        query, why != NULL ? why : "there is no such type, function, reporter, variable or address",
        text);
  dmd_session_filters_t filters;
  dmd_session_filters_init(&filters, graph->heap->env, query);
  bool *picks = dmd_session_picks(graph, &filters);
  *all = of_all && picks == NULL;
  if (picks != NULL)
    keep_picked(nodes, picks, of_all, n);
  dmd_env_free(graph->heap->env, picks);
  dmd_session_filters_destroy(&filters);
  return true;
}
