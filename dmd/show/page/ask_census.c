/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=census&by=: {"by", "total", "heap", "row", "n", "first", "rows": [{"id", the members of a row
 * in dmdv census --json, "share", "n"}]}: a window of the rows within `row`, or of the first level.
 * by is a list of keys as in dmdv. With old it is the difference to another graph, which dmdv diff
 * prints by type,referrer.
 */
#include "base/str.h"
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/page/pagegraph.h"
#include "show/text/text_graph.h"

enum { ROWS = 100 };

/* The part of a query that determines the census. */
static void write_key(dmd_strbuf_t *to, const dmd_query_t *query, const dmd_session_graph_t *old) {
  dmd_strbuf_str(to, dmd_query_str(query, "by", "type"));
  dmd_strbuf_str(to, "\n");
  dmd_strbuf_str(to, dmd_query_str(query, "filter", ""));
  dmd_strbuf_str(to, "\n");
  dmd_strbuf_u64(to, old != NULL ? old->number + 1 : 0);
}

static void make_census(dmd_session_graph_t *graph, dmd_session_graph_t *old,
                        const dmd_query_t *query, const dmd_census_by_t *by) {
  const dmd_env_t *env = graph->heap->env;
  dmd_strbuf_t key;
  dmd_strbuf_init(&key, env);
  write_key(&key, query, old);
  if (graph->has_census && dmd_str_equal(graph->census_of.text, key.text)) {
    dmd_strbuf_destroy(&key);
    return;
  }
  if (graph->has_census)
    dmd_census_destroy(&graph->census);
  graph->has_census = false;
  dmd_session_filters_t filters;
  dmd_session_filters_init(&filters, env, query);
  dmd_census_init(&graph->census, env, by);
  if (old != NULL)
    dmd_census_add(&graph->census, &old->keys, filters.filters, filters.n, -1);
  dmd_nodefilters_forget(filters.filters, filters.n);
  dmd_census_add(&graph->census, &graph->keys, filters.filters, filters.n, 1);
  dmd_census_finish(&graph->census);
  dmd_session_filters_destroy(&filters);
  graph->has_census = true;
  graph->heap_szB = dmd_nesting_heap_szB(graph->heap);
  dmd_strbuf_cut(&graph->census_of, 0);
  dmd_strbuf_str(&graph->census_of, key.text);
  dmd_strbuf_destroy(&key);
}

static void write_row(dmd_jsonout_t *j, const dmd_session_graph_t *graph,
                      const dmd_census_row_t *row, uint32_t id) {
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "id", id);
  dmd_census_write_row(j, &graph->census, row);
  dmd_answer_key_share(j, "share", row->szB, graph->heap_szB);
  dmd_jsonout_key_u64(j, "n", row->level + 1 < graph->census.by.n ? row->n : 0);
  dmd_jsonout_end(j);
}

static void write_census(dmd_jsonout_t *j, const dmd_session_graph_t *graph, uint32_t id,
                         dmd_window_t window) {
  const dmd_census_t *census = &graph->census;
  const dmd_census_row_t *outer =
      id == DMD_NONE ? &census->total : DMD_POOL_AT(&census->rows, const dmd_census_row_t, id);
  bool is_last = id != DMD_NONE && outer->level + 1 >= census->by.n;
  window = dmd_window_of(window, is_last ? 0 : outer->n);
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key(j, "by");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (uint32_t i = 0; i < census->by.n; i++)
    dmd_jsonout_str(j, dmd_nodekey_name(census->by.keys[i]));
  dmd_jsonout_end(j);
  dmd_jsonout_key(j, "total");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_census_write_amounts(j, &census->total);
  dmd_jsonout_end(j);
  dmd_answer_key_i64(j, "heap", graph->heap_szB);
  dmd_jsonout_key_u64(j, "row", id);
  dmd_jsonout_key_u64(j, "n", is_last ? 0 : outer->n);
  dmd_jsonout_key_u64(j, "first", window.first);
  dmd_jsonout_key(j, "rows");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = window.first; i < window.end; i++)
    write_row(j, graph, dmd_census_at(census, outer, i), census->order[outer->first + i]);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

bool dmd_ask_census(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  dmd_session_graph_t *graph = dmd_session_graph_of(page, query), *old;
  dmd_window_t window = dmd_window_read(query, ROWS);
  if (graph == NULL || !dmd_session_old_graph_of(page, query, &old))
    return false;
  dmd_census_by_t by;
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, page->env);
  if (!dmd_census_by_parse(&by, dmd_query_str(query, "by", "type"), &why))
    dmd_query_reject(query, why.text, "by is a list such as type,stack");
  dmd_strbuf_destroy(&why);
  if (query->failed)
    return false;
  make_census(graph, old, query, &by);
  uint32_t id = (uint32_t)dmd_query_number(query, "row", 0, graph->census.rows.last, DMD_NONE);
  if (query->failed)
    return false;
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  write_census(&j, graph, id, window);
  return true;
}
