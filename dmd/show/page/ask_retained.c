/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=retained: {"total", "row", "n", "leftOut", "first", "rows": [{"id", the members of a row in
 * dmdv retained --json, "share", "node", "n", "leftOut"}]}: a window of the rows that `row`
 * retains, or of the roots. The tree is that of the whole heap or, with what=WHAT (dmdv's --of) or
 * filter, of these blocks. A row's `n` is the number of rows in it; leftOut counts those too small
 * to be listed: below `least` millionths of the heap.
 */
#include "base/str.h"
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/page/pagegraph.h"
#include "show/text/text_graph.h"

enum { ROWS = 100, DEPTH = 200, LEAST = 100, MILLION = 1000000 };

static void write_key(dmd_strbuf_t *to, const dmd_query_t *query, uint64_t least) {
  dmd_strbuf_str(to, dmd_query_str(query, "what", ""));
  dmd_strbuf_str(to, "\n");
  dmd_strbuf_str(to, dmd_query_str(query, "filter", ""));
  dmd_strbuf_str(to, "\n");
  dmd_strbuf_u64(to, least);
}

static bool make_rows(dmd_session_graph_t *graph, dmd_query_t *query, uint64_t least) {
  dmd_strbuf_t key;
  dmd_strbuf_init(&key, graph->heap->env);
  write_key(&key, query, least);
  bool good = true, is_there = graph->has_rows && dmd_str_equal(graph->rows_of.text, key.text);
  if (!is_there) {
    dmd_bitset_t chosen;
    bool all = false;
    good = dmd_session_choose(&chosen, &all, graph, query, "what");
    if (good) {
      const dmd_retained_t *retained = dmd_session_retained(graph);
      if (graph->has_rows)
        dmd_retainedrows_destroy(&graph->rows);
      graph->has_rows = false;
      dmd_retained_limits_t limits = {.max_depth = DEPTH,
                                      .min_share = (double)least / (double)MILLION};
      dmd_retainedrows_init(&graph->rows, retained, &graph->kinds, limits, all ? NULL : &chosen);
      graph->has_rows = true;
      dmd_strbuf_cut(&graph->rows_of, 0);
      dmd_strbuf_str(&graph->rows_of, key.text);
    }
    dmd_bitset_destroy(&chosen);
  }
  dmd_strbuf_destroy(&key);
  return good;
}

static uint32_t count_kids(const dmd_retainedrows_t *rows, const dmd_retained_row_t *row) {
  uint32_t n = 0;
  for (uint32_t id = row->first_kid; id != DMD_NONE; id = dmd_retainedrows_at(rows, id)->next)
    n++;
  return n;
}

static void write_row(dmd_jsonout_t *j, const dmd_retainedrows_t *rows, uint32_t id) {
  const dmd_retained_row_t *row = dmd_retainedrows_at(rows, id);
  const dmd_retained_row_t *top = dmd_retainedrows_at(rows, DMD_RETAINED_TOP);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "id", id);
  dmd_retained_write_row(j, rows, row);
  dmd_answer_key_share(j, "share", (int64_t)row->retained.all, (int64_t)top->retained.all);
  dmd_jsonout_key_u64(j, "node", row->first_node);
  dmd_jsonout_key_u64(j, "n", count_kids(rows, row));
  dmd_jsonout_key_u64(j, "leftOut", row->n_left_out);
  dmd_jsonout_end(j);
}

static void write_rows(dmd_jsonout_t *j, const dmd_retainedrows_t *rows, uint32_t outer,
                       dmd_window_t window) {
  const dmd_retained_row_t *row = dmd_retainedrows_at(rows, outer);
  uint32_t n = count_kids(rows, row), i = 0;
  window = dmd_window_of(window, n);
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_retained_write_total(j, rows);
  dmd_jsonout_key_u64(j, "row", outer);
  dmd_jsonout_key_u64(j, "n", n);
  dmd_jsonout_key_u64(j, "leftOut", row->n_left_out);
  dmd_jsonout_key_u64(j, "first", window.first);
  dmd_jsonout_key(j, "rows");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = row->first_kid; id != DMD_NONE && i < window.end;
       id = dmd_retainedrows_at(rows, id)->next)
    if (i++ >= window.first)
      write_row(j, rows, id);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

bool dmd_ask_retained(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  dmd_session_graph_t *graph = dmd_session_graph_of(page, query);
  dmd_window_t window = dmd_window_read(query, ROWS);
  uint64_t least = dmd_query_number(query, "least", 0, MILLION, LEAST);
  if (query->failed || graph == NULL || !make_rows(graph, query, least))
    return false;
  uint32_t row = (uint32_t)dmd_query_number(query, "row", DMD_RETAINED_TOP, graph->rows.rows.last,
                                            DMD_RETAINED_TOP);
  if (query->failed)
    return false;
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  write_rows(&j, &graph->rows, row, window);
  return true;
}
