/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/session.h"

static void destroy_file(const dmd_session_t *page, dmd_session_file_t *file) {
  if (file->reports != NULL)
    dmd_amounts_destroy(file->reports);
  dmd_env_free(page->env, file->reports);
  for (uint32_t i = 0; i < file->n_others; i++)
    dmd_moment_side_destroy(&file->others[i]);
  dmd_profile_destroy(&file->profile);
  dmd_strbuf_destroy(&file->name);
  dmd_env_free(page->env, file);
}

void dmd_session_forget_files(dmd_session_t *page) {
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
  file->claims = (dmd_session_document_t){0};
  file->kept = DMD_NONE;
  file->is_made = false;
  file->n_others = 0;
  file->opens_peak = false;
  return file;
}

static void split_moments(dmd_session_file_t *file) {
  if (!file->profile.has_peak)
    return;
  file->opens_peak = dmd_peak_matters(&file->profile);
  dmd_moment_side_init_peak(&file->others[file->n_others++], &file->profile);
  if (file->profile.has_recent)
    dmd_moment_side_init_recent(&file->others[file->n_others++], &file->profile);
  dmd_moment_choose(&file->profile, DMD_MOMENT_END);
}

static dmd_moment_side_t *find_other(dmd_session_file_t *file, bool is_peak, bool is_recent) {
  for (uint32_t i = 0; i < file->n_others; i++)
    if (file->others[i].is_peak == is_peak && file->others[i].is_recent == is_recent)
      return &file->others[i];
  return NULL;
}

void dmd_session_show(dmd_session_file_t *file, dmd_moment_choice_t moment) {
  if (dmd_moment_shown(&file->profile) == moment)
    return;
  dmd_moment_side_t *other =
      find_other(file, dmd_moment_is_a_peak(moment), moment == DMD_MOMENT_RECENT);
  if (other == NULL && !file->profile.shows_peak)
    other = find_other(file, true, false);
  if (other != NULL)
    dmd_moment_swap(&file->profile, other);
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
