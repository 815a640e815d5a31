/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=paths&to=: the output of dmdv paths --json with a window of its paths, "total" and "first".
 * to and filter select the blocks at the end of the paths.
 */
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/page/pagegraph.h"
#include "show/text/text_graph.h"

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
