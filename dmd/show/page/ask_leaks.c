/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=leaks: the output of dmdv leaks --json with a window of its rows, "total" and "first".
 */
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/page/pagegraph.h"
#include "show/text/text_graph.h"

enum { ROWS = 100 };

bool dmd_ask_leaks(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  dmd_session_graph_t *graph = dmd_session_graph_of(page, query);
  dmd_window_t window = dmd_window_read(query, ROWS);
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
