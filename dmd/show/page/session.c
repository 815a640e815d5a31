/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/session.h"

#include "base/jsonout.h"
#include "show/page/asks.h"
#include "show/page/pagegraph.h"
#include "show/page/pagehistory.h"
#include "show/page/view.h"

/* ---- Files. ---- */

void dmd_session_init(dmd_session_t *page, const dmd_env_t *env) {
  *page = (dmd_session_t){.env = env};
  dmd_pool_init(&page->files, env, "dmd.page", sizeof(dmd_session_file_t *));
  dmd_pool_init(&page->graphs, env, "dmd.page", sizeof(struct dmd_session_graph *));
}

static void destroy_file(const dmd_session_t *page, dmd_session_file_t *file) {
  if (file->reports != NULL)
    dmd_amounts_destroy(file->reports);
  dmd_env_free(page->env, file->reports);
  if (file->other != NULL)
    dmd_moment_side_destroy(file->other);
  dmd_env_free(page->env, file->other);
  dmd_profile_destroy(&file->profile);
  dmd_strbuf_destroy(&file->name);
  dmd_env_free(page->env, file);
}

void dmd_session_destroy(dmd_session_t *page) {
  dmd_session_forget_graphs(page);
  dmd_session_forget_views(page);
  for (uint32_t i = 0; i < dmd_session_n_files(page); i++)
    destroy_file(page, dmd_session_file(page, i));
  dmd_pool_destroy(&page->files);
}

dmd_session_file_t *dmd_session_begin_file(const dmd_session_t *page, const char *name) {
  dmd_session_file_t *file = dmd_env_alloc(page->env, "dmd.page", sizeof *file);
  dmd_strbuf_init(&file->name, page->env);
  dmd_strbuf_str(&file->name, name);
  dmd_profile_init(&file->profile, page->env);
  file->reduced = (dmd_bundle_reduced_t){0};
  file->reports = NULL;
  file->image = NULL;
  file->kept = DMD_NONE;
  file->is_made = false;
  file->other = NULL;
  file->opens_peak = false;
  return file;
}

static void split_moments(dmd_session_file_t *file) {
  const dmd_env_t *env = file->profile.env;
  if (!file->profile.has_peak)
    return;
  file->opens_peak = dmd_peak_matters(&file->profile);
  file->other = dmd_env_alloc(env, "dmd.page", sizeof *file->other);
  dmd_moment_side_init_peak(file->other, &file->profile);
  dmd_moment_choose(&file->profile, DMD_MOMENT_END);
}

void dmd_session_show(dmd_session_file_t *file, bool peak) {
  if (file->other != NULL && file->profile.shows_peak != peak)
    dmd_moment_swap(&file->profile, file->other);
}

void dmd_session_end_file(dmd_session_t *page, dmd_session_file_t *file, bool keep) {
  if (!keep) {
    destroy_file(page, file);
    return;
  }
  split_moments(file);
  uint32_t id = dmd_pool_add(&page->files);
  *DMD_POOL_AT(&page->files, dmd_session_file_t *, id) = file;
}

dmd_session_file_t *dmd_session_file_of(const dmd_session_t *page, dmd_query_t *query,
                                        const char *key) {
  uint32_t n = dmd_session_n_files(page), n_all = n;
  for (uint32_t i = 0; i < dmd_session_n_graphs(page); i++)
    n_all += dmd_session_graph(page, i)->beside == DMD_SESSION_ALONE;
  if (page->history != NULL)
    n_all++; /* itself */
  if (n_all == 0) {
    dmd_query_reject(query, "there is no file", "give the page a profile or a heap graph first");
    return NULL;
  }
  uint32_t i = (uint32_t)dmd_query_number(query, key, 0, n_all - 1, 0);
  if (i >= n && page->history != NULL)
    dmd_query_reject(query, "there are no records of this build in the page",
                     "choose another build, or write the page with more --records");
  else if (i >= n)
    dmd_query_reject(query, "this file is a heap graph, which has no records",
                     "give dmdv view the profile that was written with it, too");
  if (query->failed)
    return NULL;
  dmd_session_file_t *file = dmd_session_file(page, i);
  return file->kept == DMD_NONE || dmd_session_make_build(page, query, file) ? file : NULL;
}

/* ---- Queries. ---- */

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
  dmd_session_forget_builds(page);
  dmd_query_init(&query, page->env, text);
  const dmd_ask_t *ask = query.failed ? NULL : find_ask(&query);
  if (ask == NULL || !ask->answer(page, &query, out))
    write_error(out, &query);
  dmd_query_destroy(&query);
}
