/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=claims&of=: what functions said about the sizes of objects. {"known": what dmdv claims --json
 * writes, as a text} if the file came with that in a bundle, which was not checked; it is about all
 * heap graphs of the run. Otherwise {"functions"}, from the heap graph of the file alone; empty
 * without a graph.
 */
#include "analyse/claims/claimgraph.h"
#include "analyse/claims/claimrules.h"
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/page/pagegraph.h"
#include "show/text/text_claims.h"

static void write_known(dmd_session_t *page, const dmd_session_document_t *known, dmd_out_t *out) {
  dmd_jsonout_t j;
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, page->env);
  dmd_strbuf_bytes(&text, known->bytes, known->n);
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(&j, "known", text.text);
  dmd_jsonout_end(&j);
  dmd_strbuf_destroy(&text);
}

/* graph: NULL for none. */
static void write_found(dmd_session_t *page, dmd_session_graph_t *graph, dmd_out_t *out) {
  dmd_claimcases_t cases;
  dmd_claimrules_t rules;
  dmd_profile_t none;
  dmd_profile_init(&none, page->env);
  dmd_claimcases_init(&cases, page->env);
  if (graph != NULL && graph->heap->claims.last > 0)
    dmd_claimcases_add_graph(&cases, graph->heap, dmd_session_graph_keys(graph)->kinds, 0, NULL);
  dmd_claimrules_init(&rules, &cases);
  dmd_claims_json(out, &rules, graph == NULL ? &none : &graph->heap->profile);
  dmd_claimrules_destroy(&rules);
  dmd_claimcases_destroy(&cases);
  dmd_profile_destroy(&none);
}

bool dmd_ask_claims(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  uint64_t of = dmd_query_number(query, "of", 0, UINT32_MAX, 0);
  if (query->failed)
    return false;
  dmd_session_graph_t *graph = dmd_session_graph_beside(page, of);
  const dmd_session_document_t *known =
      of < dmd_session_n_files(page) ? &dmd_session_file(page, (uint32_t)of)->claims : NULL;
  if (known == NULL && graph != NULL)
    known = &graph->claims;
  if (known != NULL && known->bytes != NULL)
    write_known(page, known, out);
  else
    write_found(page, graph, out);
  return true;
}
