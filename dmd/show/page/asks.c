/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/asks.h"

#include "base/jsonout.h"
#include "base/str.h"
#include "show/page/pagegraph.h"
#include "show/page/pagehistory.h"
#include "show/page/view.h"

/* clang-format off: one line each */
const dmd_ask_t dmd_asks[] = {
    {"census", dmd_ask_census},
    {"claims", dmd_ask_claims},
    {"curve", dmd_ask_curve},
    {"curves", dmd_ask_curves},
    {"faults", dmd_ask_faults},
    {"files", dmd_ask_files},
    {"flame", dmd_ask_flame},
    {"history", dmd_ask_history},
    {"leaks", dmd_ask_leaks},
    {"lifetimes", dmd_ask_lifetimes},
    {"map", dmd_ask_map},
    {"neighbours", dmd_ask_neighbours},
    {"overview", dmd_ask_overview},
    {"owners", dmd_ask_owners},
    {"paths", dmd_ask_paths},
    {"record", dmd_ask_record},
    {"records", dmd_ask_records},
    {"retained", dmd_ask_retained},
    {"series", dmd_ask_series},
    {"text", dmd_ask_text},
    {"timeline", dmd_ask_timeline},
    {"tree", dmd_ask_tree},
    {"treemap", dmd_ask_treemap},
    {"waste", dmd_ask_waste},
    {NULL, NULL},
};
/* clang-format on */

const dmd_ask_t *dmd_ask_find(const char *name) {
  for (const dmd_ask_t *ask = dmd_asks; ask->name != NULL; ask++)
    if (dmd_str_equal(ask->name, name))
      return ask;
  return NULL;
}

/* ---- The session. ---- */

void dmd_session_init(dmd_session_t *page, const dmd_env_t *env) {
  *page = (dmd_session_t){.env = env};
  dmd_pool_init(&page->files, env, "dmd.page", sizeof(dmd_session_file_t *));
  dmd_pool_init(&page->graphs, env, "dmd.page", sizeof(struct dmd_session_graph *));
}

void dmd_session_destroy(dmd_session_t *page) {
  dmd_session_forget_graphs(page);
  dmd_session_forget_views(page);
  dmd_session_forget_files(page);
}

static void write_error(dmd_out_t *out, const dmd_query_t *query) {
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key(&j, "error");
  dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(&j, "message", query->message.text);
  dmd_jsonout_key_str(&j, "hint", query->hint.text);
  dmd_jsonout_end(&j);
  dmd_jsonout_end(&j);
}

static const dmd_ask_t *find_ask(dmd_query_t *query) {
  const char *name = dmd_query_str(query, "ask", NULL);
  const dmd_ask_t *ask = name != NULL ? dmd_ask_find(name) : NULL;
  if (name == NULL)
    dmd_query_reject(query, "the query has no ask", "for example ask=files");
  else if (ask == NULL)
    dmd_query_reject(query, "there is no such ask", name);
  return ask;
}

void dmd_session_ask(dmd_session_t *page, const char *text, dmd_out_t *out) {
  dmd_query_t query;
  page->n_asked++;
  if (dmd_session_has_many_builds(page)) {
    dmd_session_forget_views(page);
    dmd_session_forget_builds(page);
  }
  dmd_query_init(&query, page->env, text);
  const dmd_ask_t *ask = query.failed ? NULL : find_ask(&query);
  if (ask == NULL || !ask->answer(page, &query, out))
    write_error(out, &query);
  dmd_query_destroy(&query);
}
