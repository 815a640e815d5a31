/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=owners: the output of dmdv owners --json with a window of its rows, "total" and "first".
 */
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/page/pagegraph.h"
#include "show/text/text_graph.h"

enum { ROWS = 50 };

bool dmd_ask_owners(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  dmd_session_graph_t *graph = dmd_session_graph_of(page, query);
  dmd_window_t window = dmd_window_read(query, ROWS);
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
