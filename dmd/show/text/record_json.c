/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/record_json.h"

#include "analyse/limits/ttest.h"
#include "files/profile/profilewriter.h"
#include "show/text/pieces.h"
#include "show/text/text.h"

/* ---- One record. ---- */

void dmd_json_write_frames(dmd_jsonout_t *j, const dmd_profile_t *profile, const uint32_t *frames,
                           size_t n) {
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (size_t i = 0; i < n; i++)
    dmd_jsonout_str(j, dmd_frames_text(&profile->frames, frames[i]));
  dmd_jsonout_end(j);
}

static void write_sizes(dmd_jsonout_t *j, const dmd_records_t *records, const dmd_record_t *r) {
  size_t n;
  dmd_size_count_t *sizes = dmd_record_sizes(records, r, &n);
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (size_t i = 0; i < n; i++) {
    dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_i64(j, sizes[i].usable);
    dmd_jsonout_i64(j, sizes[i].num);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
  dmd_env_free(records->profile->env, sizes);
}

static void write_stack(dmd_jsonout_t *j, const dmd_records_t *records, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_records_frames(records, stack, &n);
  if (stack == DMD_NONE)
    dmd_jsonout_null(j);
  else
    dmd_json_write_frames(j, records->profile, frames, n);
}

static void write_name(dmd_jsonout_t *j, const dmd_records_t *records, const dmd_record_t *r,
                       dmd_record_field_id_t id) {
  const char *name = dmd_record_name_text(records, r, id);
  if (name != NULL)
    dmd_jsonout_key_str(j, dmd_record_fields[id].key, name);
}

static void write_field(dmd_jsonout_t *j, const dmd_records_t *records, const dmd_record_t *r,
                        dmd_record_field_id_t id) {
  const dmd_record_field_t *field = &dmd_record_fields[id];
  if (!dmd_record_has_report(field, r))
    return;
  if (field->kind == DMD_RECORD_IS_NAME) {
    write_name(j, records, r, id);
    return;
  }
  dmd_jsonout_key(j, field->key);
  if (field->kind == DMD_RECORD_IS_NUMBER)
    dmd_jsonout_i64(j, dmd_record_number(field, r));
  else if (field->kind == DMD_RECORD_IS_SIZES)
    write_sizes(j, records, r);
  else
    write_stack(j, records, dmd_record_stack(field, r));
}

void dmd_json_write_errors(dmd_jsonout_t *j, dmd_variance_t variance) {
  if (variance.blocks <= 0)
    return;
  dmd_jsonout_key_u64(j, "bytesError", dmd_standard_error(variance.bytes));
  dmd_jsonout_key_u64(j, "blocksError", dmd_standard_error(variance.blocks));
}

void dmd_json_write_record(dmd_jsonout_t *j, const dmd_records_t *records, const dmd_record_t *r,
                           unsigned fields) {
  for (dmd_record_field_id_t id = 0; id < DMD_N_RECORD_FIELDS; id++)
    if (fields & 1u << id)
      write_field(j, records, r, id);
  dmd_json_write_errors(j, r->variance);
}

/* ---- All records. ---- */

typedef struct {
  dmd_jsonout_t j;
  const dmd_records_t *records;
  const dmd_profile_t *profile;
  dmd_pieces_t pieces;
} writer_t;

static void key_i64(writer_t *w, const char *key, int64_t v) {
  dmd_jsonout_key(&w->j, key);
  dmd_jsonout_i64(&w->j, v);
}

static void write_section(writer_t *w, dmd_section_t section, const char *name) {
  dmd_jsonout_t *j = &w->j;
  const dmd_section_records_t *s = &w->records->section[section];
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(j, "name", name);
  key_i64(w, "bytes", s->usable);
  key_i64(w, "blocks", s->num);
  dmd_json_write_errors(j, s->variance);
  dmd_jsonout_key(j, "records");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < s->n; i++) {
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_pieces_write_record(&w->pieces, j, dmd_records_at(w->records, s->ids[i]));
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

static void write_sections(writer_t *w, unsigned only) {
  dmd_jsonout_key(&w->j, "sections");
  dmd_jsonout_array(&w->j, DMD_JSONOUT_LINES);
  if (w->profile->mode != DMD_MODE_DARK_MATTER) {
    write_section(w, DMD_SECTION_ALL, dmd_mode_name(w->profile->mode));
  } else {
    for (int section = DMD_SECTION_TWICE; section <= DMD_SECTION_ONCE; section++)
      if (only == 0 || (only & 1u << section))
        write_section(w, section, dmd_section_name(section));
  }
  dmd_jsonout_end(&w->j);
}

static void write_faults(writer_t *w) {
  const dmd_faults_t *faults = &w->profile->faults;
  uint32_t *ids = dmd_faults_sorted(faults, w->profile->env);
  dmd_jsonout_key(&w->j, "faults");
  dmd_jsonout_array(&w->j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < dmd_faults_count(faults); i++) {
    dmd_jsonout_object(&w->j, DMD_JSONOUT_INLINE);
    dmd_pieces_write_fault(&w->pieces, &w->j, dmd_faults_at(faults, ids[i]));
    dmd_jsonout_end(&w->j);
  }
  dmd_jsonout_end(&w->j);
  dmd_env_free(w->profile->env, ids);
}

static void write_runs(writer_t *w, const dmd_profile_t *const runs[2]) {
  dmd_jsonout_key(&w->j, "runs");
  dmd_jsonout_array(&w->j, DMD_JSONOUT_LINES);
  for (int i = 0; i < 2 && runs[i] != NULL; i++) {
    dmd_jsonout_object(&w->j, DMD_JSONOUT_INLINE);
    if (runs[i]->run.is_known)
      dmd_json_write_identity(&w->j, runs[i]);
    dmd_jsonout_end(&w->j);
  }
  dmd_jsonout_end(&w->j);
}

void dmd_records_json(dmd_out_t *out, const dmd_records_t *records,
                      const dmd_profile_t *const runs[2], unsigned sections) {
  writer_t w = {.records = records, .profile = records->profile};
  dmd_pieces_init(&w.pieces, records);
  dmd_jsonout_init(&w.j, out);
  dmd_jsonout_object(&w.j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(&w.j, "mode", dmd_mode_name(w.profile->mode));
  if (w.profile->shows_peak)
    dmd_jsonout_key_str(&w.j, "moment", "peak");
  dmd_jsonout_key(&w.j, "heap");
  dmd_jsonout_object(&w.j, DMD_JSONOUT_INLINE);
  key_i64(&w, "bytes", records->usable);
  key_i64(&w, "blocks", records->num);
  dmd_json_write_errors(&w.j, records->variance);
  dmd_jsonout_end(&w.j);
  write_runs(&w, runs);
  dmd_json_write_reporter_runs(&w.j, w.profile);
  write_sections(&w, sections);
  if (sections == 0 || (sections & DMD_TEXT_FAULTS))
    write_faults(&w);
  dmd_jsonout_end(&w.j);
  dmd_pieces_destroy(&w.pieces);
}
