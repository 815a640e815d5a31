/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/bundle/bundlewriter.h"

#include "base/wire.h"
#include "files/profile/profilewriter.h"

typedef struct {
  dmd_bundle_kind_t kind;
  uint32_t index;
  uint64_t offset, szB;
} section_t;

/* dmd_write_fn: passes bytes on and counts them. */
static bool write_on(void *ctx, const char *bytes, size_t n) {
  dmd_bundlewriter_t *w = ctx;
  w->written += n;
  return w->write(w->ctx, bytes, n);
}

static uint64_t at(const dmd_bundlewriter_t *w) {
  return w->written + w->out.used;
}

/* ---- Numbers and strings. ---- */

void dmd_bundlewriter_number(dmd_bundlewriter_t *w, uint64_t v) {
  dmd_strbuf_cut(&w->scratch, 0);
  dmd_wire_number(&w->scratch, v);
  dmd_out_bytes(&w->out, w->scratch.text, w->scratch.n);
}

void dmd_bundlewriter_bytes(dmd_bundlewriter_t *w, const char *bytes, size_t n) {
  dmd_bundlewriter_number(w, n);
  dmd_out_bytes(&w->out, bytes, n);
}

void dmd_bundlewriter_string(dmd_bundlewriter_t *w, const char *s) {
  dmd_bundlewriter_number(w, s != NULL);
  if (s != NULL)
    dmd_bundlewriter_bytes(w, s, dmd_str_length(s));
}

void dmd_bundlewriter_interned(dmd_bundlewriter_t *w, const dmd_intern_t *in) {
  dmd_bundlewriter_number(w, dmd_intern_count(in));
  for (uint32_t id = 1; id <= dmd_intern_count(in); id++) {
    size_t n;
    const char *bytes = dmd_intern_get(in, id, &n);
    dmd_bundlewriter_bytes(w, bytes, n);
  }
}

/* ---- Sections. ---- */

static void align(dmd_bundlewriter_t *w) {
  while (at(w) % sizeof(uint64_t) != 0)
    dmd_out_char(&w->out, '\0');
}

void dmd_bundlewriter_begin(dmd_bundlewriter_t *w, dmd_bundle_kind_t kind, uint32_t index) {
  align(w);
  uint32_t id = dmd_pool_add(&w->sections);
  *DMD_POOL_AT(&w->sections, section_t, id) =
      (section_t){.kind = kind, .index = index, .offset = at(w)};
}

void dmd_bundlewriter_end_section(dmd_bundlewriter_t *w) {
  section_t *section = DMD_POOL_AT(&w->sections, section_t, w->sections.last);
  section->szB = at(w) - section->offset;
}

void dmd_bundlewriter_init(dmd_bundlewriter_t *w, const dmd_env_t *env, dmd_write_fn write,
                           void *ctx) {
  *w = (dmd_bundlewriter_t){.env = env, .write = write, .ctx = ctx};
  dmd_out_init(&w->out, write_on, w);
  dmd_pool_init(&w->sections, env, "dmd.image", sizeof(section_t));
  dmd_strbuf_init(&w->files, env);
  dmd_strbuf_init(&w->scratch, env);
  dmd_out_str(&w->out, DMD_BUNDLE_MAGIC);
  dmd_bundlewriter_fixed(w, DMD_BUNDLE_VERSION, 4);
  dmd_bundlewriter_fixed(w, 0, 4);
}

static void write_files(dmd_bundlewriter_t *w) {
  dmd_bundlewriter_begin(w, DMD_BUNDLE_FILES, 0);
  dmd_bundlewriter_number(w, w->n_files);
  dmd_out_bytes(&w->out, w->files.text, w->files.n);
  dmd_bundlewriter_end_section(w);
}

static void write_table(dmd_bundlewriter_t *w) {
  align(w);
  uint64_t table = at(w);
  for (uint32_t id = 1; id <= w->sections.last; id++) {
    const section_t *section = DMD_POOL_AT(&w->sections, const section_t, id);
    dmd_bundlewriter_fixed(w, section->kind, 4);
    dmd_bundlewriter_fixed(w, section->index, 4);
    dmd_bundlewriter_fixed(w, section->offset, 8);
    dmd_bundlewriter_fixed(w, section->szB, 8);
  }
  dmd_bundlewriter_fixed(w, table, 8);
  dmd_bundlewriter_fixed(w, w->sections.last, 4);
  dmd_out_str(&w->out, DMD_BUNDLE_END);
}

bool dmd_bundlewriter_end(dmd_bundlewriter_t *w) {
  write_files(w);
  write_table(w);
  dmd_strbuf_destroy(&w->scratch);
  dmd_strbuf_destroy(&w->files);
  dmd_pool_destroy(&w->sections);
  return dmd_out_flush(&w->out);
}

/* ---- Small sections. ---- */

uint32_t dmd_bundlewriter_add_profile(dmd_bundlewriter_t *w, const dmd_profile_t *profile) {
  dmd_bundlewriter_begin(w, DMD_BUNDLE_PROFILE, w->n_profiles);
  dmd_profilewriter_write(&w->out, profile);
  dmd_bundlewriter_end_section(w);
  return w->n_profiles++;
}

void dmd_bundlewriter_add_file(dmd_bundlewriter_t *w, const dmd_bundle_file_t *file) {
  size_t n = dmd_str_length(file->name);
  w->n_files++;
  dmd_wire_number(&w->files, 1); /* as in dmd_bundlewriter_string */
  dmd_wire_number(&w->files, n);
  dmd_strbuf_bytes(&w->files, file->name, n);
  dmd_wire_number(&w->files, file->kind);
  dmd_wire_number(&w->files, file->index);
  dmd_wire_number(&w->files, file->beside);
  dmd_wire_number(&w->files, file->reduced.records);
  dmd_wire_number(&w->files, file->reduced.bytes);
  dmd_wire_number(&w->files, file->reduced.nodes);
}

void dmd_bundlewriter_add_claims(dmd_bundlewriter_t *w, const dmd_strbuf_t *json) {
  dmd_bundlewriter_begin(w, DMD_BUNDLE_CLAIMS, w->n_files - 1);
  dmd_out_bytes(&w->out, json->text, json->n);
  dmd_bundlewriter_end_section(w);
}

void dmd_bundlewriter_add_settings(dmd_bundlewriter_t *w, const dmd_bundle_settings_t *settings) {
  const dmd_frame_view_t *view = &settings->frame_view;
  dmd_bundlewriter_begin(w, DMD_BUNDLE_SETTINGS, 0);
  dmd_bundlewriter_number(w, settings->max_frames);
  dmd_bundlewriter_number(w, view->full_names);
  dmd_bundlewriter_number(w, view->n_alloc_fns);
  for (size_t i = 0; i < view->n_alloc_fns; i++)
    dmd_bundlewriter_string(w, view->alloc_fns[i]);
  dmd_bundlewriter_number(w, settings->moment);
  dmd_bundlewriter_end_section(w);
}
