/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text/records_json.h"

#include "analysis/advicesum.h"
#include "analysis/known.h"
#include "analysis/owner.h"
#include "profile/json.h"
#include "text/record_json.h"
#include "text/text.h"

typedef struct {
  dmd_jsonout_t j;
  const dmd_records_t *records;
  const dmd_profile_t *profile;
  const dmd_advicesum_t *advice;
  dmd_allocfns_t *allocfns;
} writer_t;

static void key_i64(writer_t *w, const char *key, int64_t v) {
  dmd_jsonout_key(&w->j, key);
  dmd_jsonout_i64(&w->j, v);
}

static void write_stack(writer_t *w, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_records_frames(w->records, stack, &n);
  dmd_json_write_frames(&w->j, w->profile, frames, n);
}

static void write_holder(writer_t *w, const dmd_holder_t *holder) {
  dmd_jsonout_t *j = &w->j;
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "percent", holder->percent);
  key_i64(w, "bytes", holder->bytes);
  dmd_jsonout_key_str(j, "held", dmd_holder_kind_name(holder->kind));
  if (holder->reporter != DMD_NONE)
    dmd_jsonout_key_str(j, "reporter", dmd_intern_get_str(&w->profile->names, holder->reporter));
  dmd_jsonout_key(j, "at");
  write_stack(w, holder->stack);
  if (holder->holders_alike > 0) {
    dmd_jsonout_key_u64(j, "holders", holder->holders);
    dmd_jsonout_key_u64(j, "holdersAlike", holder->holders_alike);
    dmd_jsonout_key_u64(j, "pointed", holder->pointed);
  }
  if (holder->before > 0)
    dmd_jsonout_key_u64(j, "before", holder->before);
  dmd_jsonout_key(j, "offsets");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (uint32_t i = 0; i < holder->n_offsets; i++)
    dmd_jsonout_u64(j, holder->offset[i]);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

/* Nothing where nothing is known. */
static void write_advice(writer_t *w, const dmd_record_t *r) {
  bool any = false;
  for (dmd_holder_kind_t kind = 0; kind < DMD_N_HOLDER_KINDS; kind++) {
    dmd_holder_t holder;
    if (!dmd_advice_find(w->advice, r, kind, &holder))
      continue;
    if (!any) {
      dmd_jsonout_key(&w->j, "advice");
      dmd_jsonout_array(&w->j, DMD_JSONOUT_INLINE);
    }
    any = true;
    write_holder(w, &holder);
  }
  if (any)
    dmd_jsonout_end(&w->j);
}

/* Who allocated, where the stack does not show it. */
static void write_owner(writer_t *w, const dmd_record_t *r) {
  dmd_owner_t owner;
  if (!dmd_record_owner(w->records, r, w->allocfns, &owner))
    return;
  dmd_jsonout_key_str(&w->j, "allocatedBy", dmd_frames_text(&w->profile->frames, owner.frame));
  if (owner.n_others > 0)
    dmd_jsonout_key_u64(&w->j, "otherAllocators", owner.n_others);
}

static void write_record(writer_t *w, dmd_section_t section, const dmd_record_t *r) {
  dmd_jsonout_object(&w->j, DMD_JSONOUT_INLINE);
  dmd_json_write_record(&w->j, w->records, r, ~0u);
  write_owner(w, r);
  const char *known = dmd_known_block(w->records, r, w->allocfns);
  if (known != NULL)
    dmd_jsonout_key_str(&w->j, "known", known);
  if (section == DMD_SECTION_UNREPORTED)
    write_advice(w, r);
  dmd_jsonout_end(&w->j);
}

static void write_section(writer_t *w, dmd_section_t section, const char *name) {
  dmd_jsonout_t *j = &w->j;
  const dmd_section_records_t *s = &w->records->section[section];
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(j, "name", name);
  key_i64(w, "bytes", s->usable);
  key_i64(w, "blocks", s->num);
  dmd_jsonout_key(j, "records");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < s->n; i++)
    write_record(w, section, dmd_records_at(w->records, s->ids[i]));
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

static void write_cut_stack(void *ctx, uint32_t stack) {
  writer_t *w = ctx;
  write_stack(w, w->records->cut[stack]);
}

static void write_faults(writer_t *w) {
  const dmd_faults_t *faults = &w->profile->faults;
  uint32_t *ids = dmd_faults_sorted(faults, w->profile->env);
  dmd_jsonout_key(&w->j, "faults");
  dmd_jsonout_array(&w->j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < dmd_faults_count(faults); i++)
    dmd_json_write_fault(&w->j, w->profile, dmd_faults_at(faults, ids[i]), write_cut_stack, w);
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
  dmd_advicesum_t advice;
  dmd_allocfns_t allocfns;
  dmd_advicesum_init(&advice, records);
  dmd_allocfns_init(&allocfns, records->profile);
  writer_t w = {
      .records = records, .profile = records->profile, .advice = &advice, .allocfns = &allocfns};
  dmd_jsonout_init(&w.j, out);
  dmd_jsonout_object(&w.j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(&w.j, "mode", dmd_mode_name(w.profile->mode));
  dmd_jsonout_key(&w.j, "heap");
  dmd_jsonout_object(&w.j, DMD_JSONOUT_INLINE);
  key_i64(&w, "bytes", records->usable);
  key_i64(&w, "blocks", records->num);
  dmd_jsonout_end(&w.j);
  write_runs(&w, runs);
  dmd_json_write_reporter_runs(&w.j, w.profile);
  write_sections(&w, sections);
  if (sections == 0 || (sections & DMD_TEXT_FAULTS))
    write_faults(&w);
  dmd_jsonout_end(&w.j);
  dmd_allocfns_destroy(&allocfns);
  dmd_advicesum_destroy(&advice);
}
