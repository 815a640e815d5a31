/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Queries about the blocks of a heap graph.
 *
 * ask=paths&to=: the output of dmdv paths --json with a window of its paths, "total" and "first".
 * to and filter select the blocks at the end of the paths.
 *
 * ask=owners: the output of dmdv owners --json with a window of its rows, "total" and "first".
 *
 * ask=leaks: the output of dmdv leaks --json with a window of its rows, "total" and "first".
 *
 * ask=neighbours&node=: {"node": {...}, "out": {"total", "first", "rows": [...]}, "in": {...}}:
 * details of a node of a heap graph, the nodes it points to, and the nodes that point to it, each
 * as a window. A row is {"node", "name", "address", "bytes", "way", "offset"}; `way` is the member
 * that holds the pointer. Instead of node, at=0x4c3a040 selects the innermost block around an
 * address.
 */
#include "analyse/graph/kinds.h"
#include "analyse/graph/select.h"
#include "base/format.h"
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/page/pagegraph.h"
#include "show/text/text_graph.h"

/* ---- Paths. ---- */

enum { PATHS = 50 };

static void write_paths(dmd_jsonout_t *j, const dmd_paths_t *paths, dmd_window_t window) {
  window = dmd_window_of(window, paths->n_order);
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_paths_write_sums(j, paths);
  dmd_jsonout_key_u64(j, "total", paths->n_order);
  dmd_jsonout_key_u64(j, "first", window.first);
  dmd_paths_write_paths(j, paths, window.first, window.end);
  dmd_jsonout_end(j);
}

bool dmd_ask_paths(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  dmd_session_graph_t *graph = dmd_session_graph_of(page, query);
  dmd_window_t window = dmd_window_read(query, PATHS);
  dmd_bitset_t to;
  bool all = false;
  if (query->failed || graph == NULL)
    return false;
  if (dmd_session_choose(&to, &all, graph, query, "to") && all)
    dmd_query_reject(query, "to which blocks?", "select them with to=WHAT or filter=KEY=TEXT");
  if (!query->failed) {
    dmd_paths_t paths;
    dmd_jsonout_t j;
    dmd_paths_init(&paths, &graph->kinds, &to);
    dmd_jsonout_init(&j, out);
    write_paths(&j, &paths, window);
    dmd_paths_destroy(&paths);
  }
  dmd_bitset_destroy(&to);
  return !query->failed;
}

/* ---- Owners. ---- */

enum { OWNERS = 50 };

bool dmd_ask_owners(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  dmd_session_graph_t *graph = dmd_session_graph_of(page, query);
  dmd_window_t window = dmd_window_read(query, OWNERS);
  if (query->failed || graph == NULL)
    return false;
  if (graph->heap->profile.mode != DMD_MODE_DARK_MATTER)
    return dmd_query_reject(query, "only mode dark-matter has reports",
                            "run the program with --mode=dark-matter");
  dmd_owners_view_t view = {.owners = dmd_session_owners(graph), .namer = graph->namer};
  uint32_t n = graph->records.section[DMD_SECTION_UNREPORTED].n;
  window = dmd_window_of(window, n);
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_owners_write_sum(&j, &view);
  dmd_jsonout_key_u64(&j, "total", n);
  dmd_jsonout_key_u64(&j, "first", window.first);
  dmd_owners_write_rows(&j, &view, window.first, window.end);
  dmd_jsonout_end(&j);
  return true;
}

/* ---- Leaks. ---- */

enum { LEAKS = 100 };

bool dmd_ask_leaks(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  dmd_session_graph_t *graph = dmd_session_graph_of(page, query);
  dmd_window_t window = dmd_window_read(query, LEAKS);
  if (query->failed || graph == NULL)
    return false;
  dmd_session_filters_t filters;
  dmd_leaks_t leaks;
  dmd_leakrows_t rows;
  dmd_jsonout_t j;
  dmd_session_filters_init(&filters, page->env, query);
  bool *picks = dmd_session_picks(graph, &filters);
  dmd_leaks_init(&leaks, graph->heap, DMD_LEAKS_AS_MEMCHECK);
  dmd_leakrows_init(&rows, &leaks, &graph->kinds, dmd_session_graph_records(graph), NULL, picks);
  window = dmd_window_of(window, dmd_leakrows_count(&rows));
  dmd_leaks_view_t view = {.rows = &rows, .kinds = &graph->kinds, .states = ~0u};
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_leaks_write_sums(&j, &view);
  dmd_jsonout_key_u64(&j, "total", dmd_leakrows_count(&rows));
  dmd_jsonout_key_u64(&j, "first", window.first);
  dmd_leaks_write_rows(&j, &view, window.first, window.end);
  dmd_jsonout_end(&j);
  dmd_leakrows_destroy(&rows);
  dmd_leaks_destroy(&leaks);
  dmd_env_free(page->env, picks);
  dmd_session_filters_destroy(&filters);
  return true;
}

/* ---- Neighbours. ---- */

enum { NEIGHBOURS = 50 };

/* A node's name for people, and its address. */
static void write_name(dmd_jsonout_t *j, const dmd_session_graph_t *g, uint32_t node) {
  dmd_jsonout_key_u64(j, "node", node);
  dmd_jsonout_key_str(j, "name", dmd_kinds_name(&g->kinds, g->kinds.of[node]));
  dmd_jsonout_key_bool(j, "isRoot", !dmd_heapgraph_is_block(g->heap, node));
  if (dmd_heapgraph_is_block(g->heap, node))
    dmd_jsonout_key_address(j, "address", dmd_heapgraph_block(g->heap, node)->addr);
  dmd_jsonout_key_u64(j, "bytes", g->heap->graph.size[node]);
}

static void write_key(dmd_jsonout_t *j, dmd_session_graph_t *g, dmd_nodekey_t key, uint32_t node) {
  uint32_t value = dmd_nodekeys_value(&g->keys, key, node);
  dmd_jsonout_key(j, dmd_nodekey_name(key));
  dmd_jsonout_str(j, dmd_nodekeys_name(&g->keys, key, value));
}

static void write_block(dmd_jsonout_t *j, dmd_session_graph_t *g, uint32_t node) {
  static const dmd_nodekey_t keys[] = {DMD_KEY_FUNCTION, DMD_KEY_FILE,  DMD_KEY_LIBRARY,
                                       DMD_KEY_REPORTER, DMD_KEY_STATE, DMD_KEY_TAG,
                                       DMD_KEY_THREAD};
  const dmd_graph_block_t *block = dmd_heapgraph_block(g->heap, node);
  const dmd_profile_t *profile = &g->heap->profile;
  dmd_jsonout_key_u64(j, "slop", block->slop);
  dmd_jsonout_key_str(j, "evidence", dmd_type_evidence_name(dmd_typing_evidence(g->typing, node)));
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    write_key(j, g, keys[i], node);
  size_t n = 0;
  const uint32_t *frames = NULL;
  if (block->stack != DMD_NONE)
    frames = dmd_profile_frames(
        profile, DMD_POOL_AT(&g->heap->stacks, const dmd_graph_stack_t, block->stack)->in_profile,
        &n);
  dmd_jsonout_key(j, "allocatedAt");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (size_t i = 0; i < n; i++)
    dmd_answer_frame(j, profile, frames[i]);
  dmd_jsonout_end(j);
}

static void write_node(dmd_jsonout_t *j, dmd_session_graph_t *g, uint32_t node) {
  const dmd_retained_t *retained = dmd_session_retained(g);
  dmd_bounds_t bounds = dmd_retained_of(retained, node);
  dmd_jsonout_key(j, "node");
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  write_name(j, g, node);
  if (dmd_heapgraph_is_block(g->heap, node))
    write_block(j, g, node);
  dmd_jsonout_key_u64(j, "retained", bounds.all);
  if (bounds.least < bounds.all)
    dmd_jsonout_key_u64(j, "retainedAtLeast", bounds.least);
  dmd_jsonout_end(j);
}

/* ---- Edges. ---- */

/* An edge, and the node at its other end. */
static void write_edge(dmd_jsonout_t *j, const dmd_session_graph_t *g, uint32_t from, uint32_t edge,
                       uint32_t other) {
  dmd_strbuf_t way;
  dmd_strbuf_init(&way, g->heap->env);
  dmd_edge_name(g->typing, from, edge, &way);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  write_name(j, g, other);
  dmd_jsonout_key_str(j, "way", way.text);
  dmd_jsonout_key_u64(j, "offset", g->heap->graph.offset[edge]);
  dmd_jsonout_end(j);
  dmd_strbuf_destroy(&way);
}

static void begin_list(dmd_jsonout_t *j, const char *key, uint32_t total, uint32_t first) {
  dmd_jsonout_key(j, key);
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_u64(j, "total", total);
  dmd_jsonout_key_u64(j, "first", first);
  dmd_jsonout_key(j, "rows");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
}

static void end_list(dmd_jsonout_t *j) {
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

static void write_out(dmd_jsonout_t *j, const dmd_session_graph_t *g, uint32_t node,
                      dmd_window_t window) {
  const dmd_graph_t *graph = &g->heap->graph;
  uint32_t first = graph->first[node], n = graph->first[node + 1] - first;
  window = dmd_window_of(window, n);
  begin_list(j, "out", n, window.first);
  for (uint32_t i = window.first; i < window.end; i++)
    write_edge(j, g, node, first + i, graph->target[first + i]);
  end_list(j);
}

/* Scans all edges, since no index has edges by target. Those of DMD_GRAPH_ALL are not pointers. */
static void write_in(dmd_jsonout_t *j, const dmd_session_graph_t *g, uint32_t node,
                     dmd_window_t window) {
  const dmd_graph_t *graph = &g->heap->graph;
  uint32_t begin = graph->first[1], end = dmd_graph_n_edges(graph), n = 0, i = 0;
  for (uint32_t edge = begin; edge < end; edge++)
    n += graph->target[edge] == node;
  window = dmd_window_of(window, n);
  begin_list(j, "in", n, window.first);
  for (uint32_t edge = begin, from = 1; edge < end && i < window.end; edge++) {
    if (graph->target[edge] != node || i++ < window.first)
      continue;
    while (graph->first[from + 1] <= edge)
      from++;
    write_edge(j, g, from, edge, from);
  }
  end_list(j);
}

/* ---- The answer. ---- */

/* The innermost block around an address; 0, with the reason recorded, if no block is there. */
static uint32_t find_block(dmd_session_graph_t *g, dmd_query_t *query, const char *text) {
  const char *why = NULL;
  dmd_bitset_t nodes;
  uint32_t node = 0, n = g->heap->graph.n_nodes;
  dmd_bitset_init(&nodes, g->heap->env, "dmd.page.at", n);
  if (text[0] == '0' && text[1] == 'x' &&
      dmd_select(&nodes, &g->kinds, dmd_session_graph_records(g), text, &why) > 0)
    while (node < n && !dmd_bitset_has(&nodes, node))
      node++;
  dmd_bitset_destroy(&nodes);
  if (node == 0 || node == n)
    dmd_query_reject(query, why != NULL ? why : "no block is at this address",
                     "at is an address such as 0x4c3a040");
  return node;
}

bool dmd_ask_neighbours(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  dmd_session_graph_t *g = dmd_session_graph_of(page, query);
  dmd_window_t window = dmd_window_read(query, NEIGHBOURS);
  if (query->failed || g == NULL)
    return false;
  const char *at = dmd_query_str(query, "at", NULL);
  uint32_t n = g->heap->graph.n_nodes;
  if (n < 2)
    return dmd_query_reject(query, "the heap graph is empty", NULL);
  uint32_t node = at != NULL ? find_block(g, query, at)
                             : (uint32_t)dmd_query_number(query, "node", 1, n - 1, 1);
  if (query->failed)
    return false;
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  write_node(&j, g, node);
  write_out(&j, g, node, window);
  write_in(&j, g, node, window);
  dmd_jsonout_end(&j);
  return true;
}
