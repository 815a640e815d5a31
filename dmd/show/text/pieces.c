/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/pieces.h"

#include "analyse/records/allocsite.h"
#include "base/strbuf.h"
#include "files/profile/profilewriter.h"
#include "show/text/printer.h"
#include "show/text/record_json.h"
#include "show/text/text.h"

void dmd_pieces_init(dmd_pieces_t *pieces, const dmd_records_t *records) {
  pieces->records = records;
  pieces->owners = NULL;
  dmd_hintsum_init(&pieces->hint, records);
  dmd_allocfns_init(&pieces->allocfns, records->profile);
}

void dmd_pieces_destroy(dmd_pieces_t *pieces) {
  dmd_allocfns_destroy(&pieces->allocfns);
  dmd_hintsum_destroy(&pieces->hint);
}

/* ---- Text. ---- */

static dmd_printer_t printer_to(dmd_pieces_t *pieces, dmd_out_t *out) {
  return (dmd_printer_t){.out = out,
                         .records = pieces->records,
                         .profile = pieces->records->profile,
                         .hint = &pieces->hint,
                         .owners = pieces->owners,
                         .allocfns = &pieces->allocfns};
}

void dmd_pieces_print_record(dmd_pieces_t *pieces, dmd_out_t *out, uint32_t i,
                             const dmd_record_t *r, int64_t cumulative) {
  dmd_printer_t p = printer_to(pieces, out);
  dmd_print_record(&p, dmd_record_section(pieces->records, r), i, r, cumulative);
}

void dmd_pieces_print_hint(dmd_pieces_t *pieces, dmd_out_t *out, const dmd_record_t *r) {
  dmd_printer_t p = printer_to(pieces, out);
  dmd_print_hint(&p, r);
}

void dmd_pieces_print_hint_on_all(dmd_pieces_t *pieces, dmd_out_t *out) {
  dmd_printer_t p = printer_to(pieces, out);
  dmd_print_hint_on_all(&p);
}

void dmd_pieces_print_fault(dmd_pieces_t *pieces, dmd_out_t *out, const dmd_fault_t *fault) {
  dmd_printer_t p = printer_to(pieces, out);
  dmd_print_fault(&p, fault);
}

void dmd_pieces_print_peak(dmd_pieces_t *pieces, dmd_out_t *out) {
  dmd_printer_t p = printer_to(pieces, out);
  dmd_print_peak_sentence(&p);
  dmd_print_peak_total(&p);
  dmd_print_attach(out, &p.profile->run, "recorded: ", "from before the attach: ");
}

/* ---- JSON. ---- */

static void write_stack(dmd_pieces_t *pieces, dmd_jsonout_t *j, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_records_frames(pieces->records, stack, &n);
  dmd_json_write_frames(j, pieces->records->profile, frames, n);
}

static void write_referrer(dmd_pieces_t *pieces, dmd_jsonout_t *j,
                           const dmd_hint_referrer_t *referrer) {
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "percent", referrer->percent);
  dmd_jsonout_key(j, "bytes");
  dmd_jsonout_i64(j, referrer->bytes);
  dmd_jsonout_key_str(j, "held", dmd_referrer_kind_name(referrer->kind));
  if (referrer->reporter != DMD_NONE)
    dmd_jsonout_key_str(j, "reporter",
                        dmd_intern_get_str(&pieces->records->profile->names, referrer->reporter));
  dmd_jsonout_key(j, "at");
  write_stack(pieces, j, referrer->stack);
  if (referrer->referrers_alike > 0) {
    dmd_jsonout_key_u64(j, "holders", referrer->referrers);
    dmd_jsonout_key_u64(j, "holdersAlike", referrer->referrers_alike);
    dmd_jsonout_key_u64(j, "pointed", referrer->pointed);
  }
  if (referrer->before > 0)
    dmd_jsonout_key_u64(j, "before", referrer->before);
  dmd_jsonout_key(j, "offsets");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (uint32_t i = 0; i < referrer->n_offsets; i++)
    dmd_jsonout_u64(j, referrer->offset[i]);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

/* Writes nothing if nothing is known. */
static void write_hint(dmd_pieces_t *pieces, dmd_jsonout_t *j, const dmd_record_t *r) {
  bool any = false;
  for (dmd_referrer_kind_t kind = 0; kind < DMD_N_REFERRER_KINDS; kind++) {
    dmd_hint_referrer_t referrer;
    if (!dmd_hint_find(&pieces->hint, r, kind, &referrer))
      continue;
    if (!any) {
      dmd_jsonout_key(j, "advice");
      dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
    }
    any = true;
    write_referrer(pieces, j, &referrer);
  }
  if (any)
    dmd_jsonout_end(j);
}

/* The function that allocated, if the stack does not show it. */
static void write_owner(dmd_pieces_t *pieces, dmd_jsonout_t *j, const dmd_record_t *r) {
  const dmd_frames_t *frames = &pieces->records->profile->frames;
  dmd_owner_t owner;
  if (!dmd_record_owner(pieces->records, r, &pieces->allocfns, &owner))
    return;
  dmd_jsonout_key_str(j, "allocatedBy", dmd_frames_text(frames, owner.frame));
  if (owner.n_others > 0)
    dmd_jsonout_key_u64(j, "otherAllocators", owner.n_others);
}

void dmd_pieces_write_record(dmd_pieces_t *pieces, dmd_jsonout_t *j, const dmd_record_t *r) {
  dmd_json_write_record(j, pieces->records, r, ~0u);
  write_owner(pieces, j, r);
  const char *known = dmd_known_block(pieces->records, r, &pieces->allocfns);
  if (known != NULL)
    dmd_jsonout_key_str(j, "known", known);
  if (dmd_record_section(pieces->records, r) == DMD_SECTION_UNREPORTED)
    write_hint(pieces, j, r);
}

typedef struct {
  dmd_pieces_t *pieces;
  dmd_jsonout_t *j;
} cutter_t;

static void write_cut_stack(void *ctx, uint32_t stack) {
  const cutter_t *c = ctx;
  write_stack(c->pieces, c->j, c->pieces->records->cut[stack]);
}

void dmd_pieces_write_fault(dmd_pieces_t *pieces, dmd_jsonout_t *j, const dmd_fault_t *fault) {
  const dmd_profile_t *profile = pieces->records->profile;
  dmd_json_write_fault_members(j, profile, fault, write_cut_stack, &(cutter_t){pieces, j});
  dmd_strbuf_t sentence;
  dmd_out_t out;
  dmd_strbuf_init(&sentence, profile->env);
  dmd_out_init(&out, dmd_strbuf_write, &sentence);
  dmd_printer_t p = printer_to(pieces, &out);
  dmd_print_fault_sentence(&p, fault);
  dmd_out_flush(&out);
  dmd_jsonout_key_str(j, "sentence", sentence.text);
  dmd_strbuf_destroy(&sentence);
}

/* ---- All records. ---- */

typedef struct {
  dmd_jsonout_t j;
  const dmd_records_t *records;
  const dmd_profile_t *profile;
  dmd_pieces_t pieces;
  uint32_t max_records; /* 0: all */
} writer_t;

/* The number of n things to write. */
static uint32_t n_written(const writer_t *w, uint32_t n) {
  return w->max_records != 0 && w->max_records < n ? w->max_records : n;
}

static void write_left_out(writer_t *w, const char *key, uint32_t n) {
  if (n_written(w, n) < n)
    dmd_jsonout_key_u64(&w->j, key, n - n_written(w, n));
}

static void write_section(writer_t *w, dmd_section_t section, const char *name) {
  dmd_jsonout_t *j = &w->j;
  const dmd_section_records_t *s = &w->records->section[section];
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(j, "name", name);
  dmd_json_write_sum(j, &s->sum);
  dmd_jsonout_key(j, "records");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < n_written(w, s->n); i++) {
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_pieces_write_record(&w->pieces, j, dmd_records_at(w->records, s->ids[i]));
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
  write_left_out(w, "leftOut", s->n);
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
  for (uint32_t i = 0; i < n_written(w, dmd_faults_count(faults)); i++) {
    dmd_jsonout_object(&w->j, DMD_JSONOUT_INLINE);
    dmd_pieces_write_fault(&w->pieces, &w->j, dmd_faults_at(faults, ids[i]));
    dmd_jsonout_end(&w->j);
  }
  dmd_jsonout_end(&w->j);
  write_left_out(w, "faultsLeftOut", dmd_faults_count(faults));
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
                      const dmd_profile_t *const runs[2], unsigned sections, uint32_t max_records) {
  writer_t w = {.records = records, .profile = records->profile, .max_records = max_records};
  dmd_pieces_init(&w.pieces, records);
  dmd_jsonout_init(&w.j, out);
  dmd_jsonout_object(&w.j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(&w.j, "mode", dmd_mode_name(w.profile->mode));
  if (w.profile->shows_peak)
    dmd_jsonout_key_str(&w.j, "moment", w.profile->shows_recent ? "recent-peak" : "peak");
  dmd_jsonout_key(&w.j, "heap");
  dmd_jsonout_object(&w.j, DMD_JSONOUT_INLINE);
  dmd_json_write_sum(&w.j, &records->heap);
  dmd_jsonout_end(&w.j);
  write_runs(&w, runs);
  dmd_json_write_reporter_runs(&w.j, w.profile);
  write_sections(&w, sections);
  if (sections == 0 || (sections & DMD_TEXT_FAULTS))
    write_faults(&w);
  dmd_jsonout_end(&w.j);
  dmd_pieces_destroy(&w.pieces);
}
