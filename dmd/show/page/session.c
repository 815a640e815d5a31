/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/session.h"

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
