/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/pagehistory.h"

#include "analyse/history/history.h"

enum { MANY = 8 /* builds that are kept; a view has two */ };

void dmd_session_add_history(dmd_session_t *page, const dmd_history_t *h) {
  page->history = h;
  page->first_build = dmd_session_n_files(page);
  for (uint32_t id = h->kept.last; id > 0; id--) {
    const dmd_kept_t *kept = dmd_history_kept(h, id);
    const char *name = dmd_history_text(h, dmd_history_build(h, kept->build)->name);
    dmd_session_file_t *file = dmd_session_begin_file(page, name);
    file->kept = id;
    dmd_session_end_file(page, file, true);
  }
}

static void clear(dmd_session_file_t *file, const dmd_env_t *env) {
  dmd_profile_destroy(&file->profile);
  dmd_profile_init(&file->profile, env);
  file->is_made = false;
}

bool dmd_session_make_build(const dmd_session_t *page, dmd_query_t *query,
                            dmd_session_file_t *file) {
  if (file->is_made)
    return true;
  const char *wrong = dmd_history_fill(&file->profile, page->history, file->kept);
  file->is_made = wrong == NULL;
  if (wrong == NULL)
    return true;
  clear(file, page->env);
  return dmd_query_reject(query, wrong, "write the page anew");
}

bool dmd_session_has_many_builds(const dmd_session_t *page) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < dmd_session_n_files(page); i++)
    n += dmd_session_file(page, i)->is_made;
  return n > MANY;
}

void dmd_session_forget_builds(dmd_session_t *page) {
  for (uint32_t i = 0; i < dmd_session_n_files(page); i++)
    if (dmd_session_file(page, i)->is_made)
      clear(dmd_session_file(page, i), page->env);
}

uint32_t dmd_session_file_of_kept(const dmd_session_t *page, uint32_t kept) {
  return page->first_build + page->history->kept.last - kept;
}

const dmd_history_t *dmd_session_history(const dmd_session_t *page, dmd_query_t *query) {
  if (page->history == NULL)
    dmd_query_reject(query, "there is no history", "dmdv history page makes a page of one");
  return page->history;
}

/* ---- Selecting curves. ---- */

uint32_t *dmd_session_environments(const dmd_history_t *h, uint32_t *n) {
  size_t n_texts = (size_t)dmd_intern_count(&h->texts) + 1;
  uint32_t *list = dmd_env_alloc(h->env, "dmd.page", n_texts * sizeof *list);
  bool *is_known = dmd_env_alloc(h->env, "dmd.page", n_texts * sizeof *is_known);
  dmd_mem_zero(is_known, n_texts * sizeof *is_known);
  *n = 0;
  for (uint32_t id = 1; id <= h->curves.last; id++) {
    uint32_t environment = dmd_history_curve(h, id)->environment;
    if (!is_known[environment])
      list[(*n)++] = environment;
    is_known[environment] = true;
  }
  dmd_env_free(h->env, is_known);
  return list;
}

/* Fields that the query leaves open are DMD_NONE. */
static dmd_line_t asked_for(const dmd_history_t *h, dmd_query_t *query) {
  const char *branch = dmd_query_str(query, "branch", NULL),
             *moment = dmd_query_str(query, "moment", NULL);
  dmd_line_t line = {0};
  if (branch != NULL && (line.branch = dmd_intern_find_str(&h->texts, branch)) == DMD_NONE)
    dmd_query_reject(query, "the history has no such branch", branch);
  if (moment != NULL && (line.moment = dmd_intern_find_str(&h->texts, moment)) == DMD_NONE)
    dmd_query_reject(query, "the history has no such moment", moment);
  if (dmd_query_str(query, "environment", NULL) != NULL) {
    uint32_t n, *list = dmd_session_environments(h, &n);
    uint64_t i = dmd_query_number(query, "environment", 0, n == 0 ? 0 : n - 1, 0);
    line.environment = n == 0 ? DMD_NONE : list[i];
    dmd_env_free(h->env, list);
  }
  return line;
}

static bool fits(const dmd_line_t *line, const dmd_history_curve_t *curve) {
  return (line->branch == DMD_NONE || line->branch == curve->branch) &&
         (line->moment == DMD_NONE || line->moment == curve->moment) &&
         (line->environment == DMD_NONE || line->environment == curve->environment);
}

static bool is_newer(const dmd_history_t *h, const dmd_history_curve_t *a,
                     const dmd_history_curve_t *b) {
  int64_t x = dmd_history_build(h, dmd_history_point(h, a, a->n - 1)->build)->time;
  int64_t y = dmd_history_build(h, dmd_history_point(h, b, b->n - 1)->build)->time;
  return x != y ? x > y : a->n > b->n;
}

dmd_line_t dmd_session_line(const dmd_history_t *h, dmd_query_t *query) {
  dmd_line_t line = asked_for(h, query);
  const dmd_history_curve_t *best = NULL;
  for (uint32_t id = 1; id <= h->curves.last; id++) {
    const dmd_history_curve_t *curve = dmd_history_curve(h, id);
    if (curve->kind == DMD_METRIC_HEAP && fits(&line, curve) &&
        (best == NULL || is_newer(h, curve, best)))
      best = curve;
  }
  const dmd_line_t none = {.branch = DMD_NONE};
  if (best == NULL)
    return none;
  return (dmd_line_t){best->branch, best->moment, best->environment};
}
