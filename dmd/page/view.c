/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page/view.h"

#include "analysis/combine.h"
#include "base/limits.h"
#include "base/str.h"
#include "page/pagegraph.h"

static void destroy_view(const dmd_page_t *page, dmd_view_t *view) {
  dmd_flame_destroy(&view->flame);
  dmd_rowlist_destroy(&view->rows);
  dmd_recordlist_destroy(&view->list);
  dmd_pieces_destroy(&view->pieces);
  dmd_records_destroy(&view->records);
  if (view->old != DMD_VIEW_ALONE)
    dmd_profile_destroy(&view->difference);
  dmd_env_free(page->env, view);
}

void dmd_page_forget_views(dmd_page_t *page) {
  for (int i = 0; i < DMD_PAGE_VIEWS; i++) {
    if (page->views[i] != NULL)
      destroy_view(page, page->views[i]);
    page->views[i] = NULL;
  }
}

static void subtract(dmd_view_t *view, const dmd_page_t *page, const dmd_profile_t *new) {
  const dmd_profile_t *old = &dmd_page_file(page, view->old)->profile;
  dmd_profile_init(&view->difference, page->env);
  view->difference.mode = new->mode;
  view->difference.options = dmd_profile_keep(&view->difference, new->options);
  dmd_difference_beside(&view->difference, old, new);
  view->before = old;
  view->profile = &view->difference;
}

static dmd_view_t *make_view(dmd_page_t *page, const dmd_view_t *key) {
  dmd_view_t *view = dmd_env_alloc(page->env, "dmd.view", sizeof *view);
  *view = *key;
  view->before = NULL;
  view->profile = &dmd_page_file(page, key->of)->profile;
  if (view->old != DMD_VIEW_ALONE)
    subtract(view, page, view->profile);
  dmd_records_init(&view->records, view->profile, view->max_frames, DMD_SORT_USABLE);
  if (view->old != DMD_VIEW_ALONE)
    dmd_records_drop_unchanged(&view->records);
  dmd_pieces_init(&view->pieces, &view->records);
  if (view->old == DMD_VIEW_ALONE && view->profile->mode == DMD_MODE_DARK_MATTER)
    view->pieces.owners = dmd_page_owner_advice(page, view->of, view->max_frames);
  dmd_recordlist_init(&view->list, &view->records, &view->pieces.allocfns);
  dmd_rowlist_init(&view->rows, &view->records);
  dmd_flame_init(&view->flame, page->env);
  return view;
}

/* The view of this key, made in the place of the one that was not used for longest, if it is not
 * there. */
static dmd_view_t *find_view(dmd_page_t *page, const dmd_view_t *key) {
  dmd_view_t **place = &page->views[0];
  for (int i = 0; i < DMD_PAGE_VIEWS; i++) {
    dmd_view_t *view = page->views[i];
    if (view != NULL && view->of == key->of && view->old == key->old &&
        view->max_frames == key->max_frames) {
      view->used = page->n_asked;
      return view;
    }
    if (*place != NULL && (view == NULL || view->used < (*place)->used))
      place = &page->views[i];
  }
  if (*place != NULL)
    destroy_view(page, *place);
  *place = NULL;
  *place = make_view(page, key);
  return *place;
}

bool dmd_page_files_of(const dmd_page_t *page, dmd_query_t *query, const dmd_page_file_t **of,
                       const dmd_page_file_t **old) {
  *of = dmd_page_file_of(page, query, "of");
  *old = NULL;
  if (dmd_query_str(query, "old", NULL) != NULL)
    *old = dmd_page_file_of(page, query, "old");
  if (query->failed)
    return false;
  if (*old != NULL && (*old)->profile.mode != (*of)->profile.mode)
    return dmd_query_reject(query, "the files are of different modes, and cannot be compared",
                            "compare files of one mode");
  return true;
}

dmd_view_t *dmd_page_view_of(dmd_page_t *page, dmd_query_t *query, uint64_t max_frames) {
  const dmd_page_file_t *of, *old;
  dmd_view_t key = {.old = DMD_VIEW_ALONE, .used = page->n_asked};
  key.max_frames = (uint32_t)dmd_query_number(query, "max-frames", 1, DMD_MAX_SHOWN, max_frames);
  if (!dmd_page_files_of(page, query, &of, &old))
    return NULL;
  for (uint32_t i = 0; i < dmd_page_n_files(page); i++) {
    key.of = dmd_page_file(page, i) == of ? i : key.of;
    key.old = dmd_page_file(page, i) == old ? i : key.old;
  }
  return find_view(page, &key);
}

dmd_view_t *dmd_page_view(dmd_page_t *page, dmd_query_t *query) {
  uint64_t max_frames = 0;
  dmd_str_to_u64(DMD_FRAMES_SHOWN, 10, &max_frames);
  return dmd_page_view_of(page, query, max_frames);
}

void dmd_view_runs(const dmd_view_t *view, const dmd_page_t *page, const dmd_profile_t *runs[2]) {
  const dmd_profile_t *of = &dmd_page_file(page, view->of)->profile;
  runs[0] = view->before != NULL ? view->before : of;
  runs[1] = view->before != NULL ? of : NULL;
}
