/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/view.h"

#include "analyse/graph/nodekeys.h"
#include "analyse/transform/merge.h"
#include "base/limits.h"
#include "base/str.h"
#include "model/profile/profile.h"
#include "show/page/pagegraph.h"
#include "show/page/pagehistory.h"

/* ---- Profiles made for a view. ---- */

static dmd_viewprofile_t *new_profile(const dmd_session_t *page, const dmd_profile_t *like) {
  dmd_viewprofile_t *made = dmd_env_alloc(page->env, "dmd.view", sizeof *made);
  dmd_profile_init(&made->profile, page->env);
  dmd_grouptypes_init(&made->types, page->env);
  made->profile.mode = like->mode;
  made->profile.shows_peak = like->shows_peak;
  made->profile.shows_recent = like->shows_recent;
  made->profile.options = dmd_profile_keep(&made->profile, like->options);
  return made;
}

static void free_profile(const dmd_session_t *page, dmd_viewprofile_t *made) {
  dmd_grouptypes_destroy(&made->types);
  dmd_profile_destroy(&made->profile);
  dmd_env_free(page->env, made);
}

static void add_typed(dmd_viewprofile_t *made, const dmd_session_t *page, uint32_t file, int sign) {
  dmd_session_graph_t *graph = dmd_session_graph_beside(page, file);
  dmd_typedgroups_add(&made->profile, &made->types, dmd_session_graph_keys(graph), sign);
}

static void make_profile(dmd_view_t *view, const dmd_session_t *page) {
  dmd_profile_t *of = &dmd_session_file(page, view->of)->profile;
  bool is_difference = view->old != DMD_VIEW_ALONE;
  view->before = is_difference ? &dmd_session_file(page, view->old)->profile : NULL;
  view->made = is_difference || view->has_types ? new_profile(page, of) : NULL;
  view->profile = view->made != NULL ? &view->made->profile : of;
  if (view->has_types) {
    if (is_difference)
      add_typed(view->made, page, view->old, -1);
    add_typed(view->made, page, view->of, 1);
    dmd_groups_finish(&view->profile->groups);
  } else if (is_difference) {
    dmd_difference_beside(view->profile, view->before, of);
  }
}

/* Restricts the view's profile to the picked blocks. */
static void pick(dmd_view_t *view, const dmd_session_t *page) {
  dmd_viewprofile_t *whole = view->made, *part = new_profile(page, view->profile);
  view->heap = dmd_heapsum_of(view->profile).all;
  dmd_picks_take(&view->picks, view->profile, view->has_types ? &whole->types : NULL,
                 &part->profile, view->has_types ? &part->types : NULL);
  view->made = part;
  view->profile = &part->profile;
  if (whole != NULL)
    free_profile(page, whole);
}

void dmd_view_tell(const dmd_view_t *view, dmd_records_t *records) {
  records->types = view->has_types ? &view->made->types : NULL;
  if (!dmd_picks_are_any(&view->picks))
    return;
  records->heap.bytes = view->heap.bytes;
  records->heap.blocks = view->heap.blocks;
  records->heap.variance = view->heap.variance;
}

/* ---- Views. ---- */

static void destroy_view(const dmd_session_t *page, dmd_view_t *view) {
  dmd_flame_destroy(&view->flame);
  dmd_rowlist_destroy(&view->rows);
  dmd_recordlist_destroy(&view->list);
  dmd_pieces_destroy(&view->pieces);
  dmd_records_destroy(&view->records);
  if (view->made != NULL)
    free_profile(page, view->made);
  dmd_intern_destroy(&view->names);
  dmd_env_free(page->env, view);
}

void dmd_session_forget_views(dmd_session_t *page) {
  for (int i = 0; i < DMD_SESSION_VIEWS; i++) {
    if (page->views[i] != NULL)
      destroy_view(page, page->views[i]);
    page->views[i] = NULL;
  }
}

static dmd_view_t *make_view(dmd_session_t *page, const dmd_view_t *key) {
  dmd_view_t *view = dmd_env_alloc(page->env, "dmd.view", sizeof *view);
  *view = *key;
  dmd_intern_init(&view->names, page->env, "dmd.view");
  view->picks = dmd_picks_keep(&key->picks, &view->names);
  make_profile(view, page);
  if (dmd_picks_are_any(&view->picks))
    pick(view, page);
  dmd_records_init(&view->records, view->profile, view->max_frames, DMD_SORT_USABLE);
  dmd_view_tell(view, &view->records);
  if (view->old != DMD_VIEW_ALONE)
    dmd_records_drop_unchanged(&view->records);
  dmd_pieces_init(&view->pieces, &view->records);
  if (view->old == DMD_VIEW_ALONE && view->profile->mode == DMD_MODE_DARK_MATTER)
    view->pieces.owners = dmd_session_owner_hint(page, view->of, view->max_frames);
  dmd_recordlist_init(&view->list, &view->records, &view->pieces.allocfns);
  dmd_rowlist_init(&view->rows, &view->records);
  dmd_flame_init(&view->flame, page->env);
  return view;
}

static bool is_of(const dmd_view_t *view, const dmd_view_t *key) {
  return view->of == key->of && view->old == key->old && view->max_frames == key->max_frames &&
         view->at_peak == key->at_peak && view->at_recent == key->at_recent &&
         view->has_types == key->has_types && dmd_picks_are_equal(&view->picks, &key->picks);
}

/* The view with this key. A new view replaces the least recently used one. */
static dmd_view_t *find_view(dmd_session_t *page, const dmd_view_t *key) {
  dmd_view_t **place = &page->views[0];
  for (int i = 0; i < DMD_SESSION_VIEWS; i++) {
    dmd_view_t *view = page->views[i];
    if (view != NULL && is_of(view, key)) {
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

/* ---- Files and views of a query. ---- */

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

dmd_moment_choice_t dmd_session_moment_of(dmd_query_t *query, const dmd_session_file_t *of,
                                          const dmd_session_file_t *old) {
  static const dmd_moment_choice_t moments[] = {DMD_MOMENT_END, DMD_MOMENT_PEAK, DMD_MOMENT_RECENT};
  bool all_have_it = of->n_others > 0 && (old == NULL || old->n_others > 0),
       all_open = all_have_it && of->opens_peak && (old == NULL || old->opens_peak);
  dmd_moment_choice_t moment = moments[dmd_query_number(query, "peak", 0, 2, all_open)];
  if (moment != DMD_MOMENT_END && !all_have_it)
    dmd_query_reject(query, "this file does not have the records of its peak", "show the end");
  return moment;
}

bool dmd_session_files_of(const dmd_session_t *page, dmd_query_t *query,
                          const dmd_session_file_t **of, const dmd_session_file_t **old) {
  dmd_session_file_t *files[2] = {dmd_session_file_of(page, query, "of"), NULL};
  if (dmd_query_str(query, "old", NULL) != NULL)
    files[1] = dmd_session_file_of(page, query, "old");
  *of = files[0];
  *old = files[1];
  if (query->failed)
    return false;
  dmd_moment_choice_t moment = dmd_session_moment_of(query, *of, *old);
  if (query->failed)
    return false;
  for (int i = 0; i < 2 && files[i] != NULL; i++)
    dmd_session_show(files[i], moment);
  bool of_profiles = *old != NULL && (*old)->reports == NULL && (*of)->reports == NULL;
  if (of_profiles && (*old)->profile.mode != (*of)->profile.mode)
    return dmd_query_reject(query, "the files have different modes and cannot be compared",
                            "compare files with the same mode");
  if (of_profiles && !dmd_sampled_alike(&(*old)->profile, &(*of)->profile))
    return dmd_query_reject(query, "the files are sampled differently and cannot be compared",
                            "compare files with the same --sample-interval");
  return true;
}

/* True if the types of the blocks in both files are known; otherwise records the reason in the
 * query. */
static bool have_types(const dmd_session_t *page, dmd_query_t *query, const dmd_view_t *key) {
  if (dmd_session_file(page, key->of)->profile.mode == DMD_MODE_CUMULATIVE)
    return dmd_query_reject(query,
                            "types are known of blocks that are there, not of all there were",
                            "run the program with --mode=live and --graph=yes");
  if (key->at_peak)
    return dmd_query_reject(query, "types are known of the heap at the end, not at its peak",
                            "show the end");
  if (dmd_session_graph_beside(page, key->of) == NULL ||
      (key->old != DMD_VIEW_ALONE && dmd_session_graph_beside(page, key->old) == NULL))
    return dmd_query_reject(query, "types are in a heap graph, and this file has none",
                            DMD_SESSION_GRAPH_HINT);
  return true;
}

dmd_view_t *dmd_session_view_of(dmd_session_t *page, dmd_query_t *query, uint64_t max_frames) {
  const dmd_session_file_t *of, *old;
  dmd_view_t key = {.old = DMD_VIEW_ALONE, .used = page->n_asked, .picks = dmd_picks_read(query)};
  key.has_types = key.picks.name[DMD_BY_TYPE] != NULL ||
                  dmd_str_equal(dmd_query_str(query, "by", ""), dmd_by_word(DMD_BY_TYPE));
  key.max_frames = (uint32_t)dmd_query_number(query, "max-frames", 1, DMD_MAX_SHOWN, max_frames);
  if (!dmd_session_files_of(page, query, &of, &old))
    return NULL;
  if (of->reports != NULL || (old != NULL && old->reports != NULL)) {
    dmd_query_reject(query, "a file of memory reports has no records",
                     "only its tree can be shown");
    return NULL;
  }
  for (uint32_t i = 0; i < dmd_session_n_files(page); i++) {
    key.of = dmd_session_file(page, i) == of ? i : key.of;
    key.old = dmd_session_file(page, i) == old ? i : key.old;
  }
  key.at_peak = of->profile.shows_peak;
  key.at_recent = of->profile.shows_recent || (old != NULL && old->profile.shows_recent);
  if (key.has_types && !have_types(page, query, &key))
    return NULL;
  return find_view(page, &key);
}

dmd_view_t *dmd_session_view(dmd_session_t *page, dmd_query_t *query) {
  uint64_t max_frames = 0;
  dmd_str_to_u64(DMD_FRAMES_SHOWN, 10, &max_frames);
  return dmd_session_view_of(page, query, max_frames);
}

void dmd_view_runs(const dmd_view_t *view, const dmd_session_t *page,
                   const dmd_profile_t *runs[2]) {
  const dmd_profile_t *of = &dmd_session_file(page, view->of)->profile;
  runs[0] = view->before != NULL ? view->before : of;
  runs[1] = view->before != NULL ? of : NULL;
}
