/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=waste&kind=&least=: {"heap", "total" and "kinds" as in dmdv waste --json, "share" of the
 * heap, "comparesContents", "least", "smaller", "n", "first", "findings": [{the members of a
 * finding in dmdv waste --json, "what", "function", "share"}]}: a window of the findings of a kind,
 * or of those that the total counts; "smaller" ones, of less than `least` bytes (default 4,096),
 * are left out.
 */
#include "base/str.h"
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/page/pagegraph.h"
#include "show/text/text_waste.h"

enum { FINDINGS = 50 };

/* The places of the findings to show; *n of them. The caller frees the array. */
static uint32_t *choose(const dmd_waste_t *waste, const char *kind, uint32_t *n) {
  uint32_t *chosen =
      dmd_env_alloc(waste->graph->env, "dmd.page.waste", (waste->n + 1) * sizeof *chosen);
  *n = 0;
  for (uint32_t i = 0; i < waste->n; i++) {
    const dmd_waste_finding_t *finding = dmd_waste_at(waste, i);
    const char *its = dmd_waste_kind_name((dmd_waste_kind_t)finding->kind);
    if (kind != NULL ? dmd_str_equal(its, kind) : finding->counted > 0)
      chosen[(*n)++] = i;
  }
  return chosen;
}

static void write_finding(dmd_jsonout_t *j, dmd_session_graph_t *graph,
                          const dmd_waste_finding_t *finding) {
  dmd_strbuf_t what;
  dmd_strbuf_init(&what, graph->heap->env);
  dmd_waste_what(&what, &graph->waste, finding, true);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_waste_write_members(j, &graph->waste, finding);
  dmd_jsonout_key_str(j, "what", what.text);
  dmd_jsonout_key_str(
      j, "function",
      dmd_nodekeys_name(&graph->keys, DMD_KEY_FUNCTION,
                        dmd_nodekeys_value(&graph->keys, DMD_KEY_FUNCTION, finding->example)));
  dmd_answer_key_share(j, "share", (int64_t)finding->bytes, (int64_t)graph->waste.heap_szB);
  dmd_jsonout_end(j);
  dmd_strbuf_destroy(&what);
}

bool dmd_ask_waste(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  dmd_session_graph_t *graph = dmd_session_graph_of(page, query);
  dmd_window_t window = dmd_window_read(query, FINDINGS);
  uint64_t least = dmd_query_number(query, "least", 1, UINT64_MAX, DMD_WASTE_LEAST_SZB);
  if (query->failed || graph == NULL)
    return false;
  const dmd_waste_t *waste = dmd_session_waste(graph, least);
  uint32_t n;
  uint32_t *chosen = choose(waste, dmd_query_str(query, "kind", NULL), &n);
  window = dmd_window_of(window, n);
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_waste_write_sums(&j, waste);
  dmd_answer_key_share(&j, "share", (int64_t)waste->bytes, (int64_t)waste->heap_szB);
  dmd_jsonout_key_bool(&j, "comparesContents", graph->heap->has_contents);
  dmd_jsonout_key_u64(&j, "least", least);
  dmd_jsonout_key_u64(&j, "smaller", waste->n_less);
  dmd_jsonout_key_u64(&j, "n", n);
  dmd_jsonout_key_u64(&j, "first", window.first);
  dmd_jsonout_key(&j, "findings");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  for (uint32_t i = window.first; i < window.end; i++)
    write_finding(&j, graph, dmd_waste_at(waste, chosen[i]));
  dmd_jsonout_end(&j);
  dmd_jsonout_end(&j);
  dmd_env_free(page->env, chosen);
  return true;
}
