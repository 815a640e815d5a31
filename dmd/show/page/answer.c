/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/answer.h"

#include "analyse/records/plain.h"
#include "analyse/records/record.h"
#include "base/limits.h"
#include "show/text/print.h"
#include "show/text/record_json.h"

dmd_window_t dmd_window_read(dmd_query_t *query, uint32_t count) {
  uint64_t first = dmd_query_number(query, "first", 0, UINT32_MAX, 0);
  uint64_t end = first + dmd_query_number(query, "count", 0, DMD_MAX_SHOWN, count);
  return (dmd_window_t){(uint32_t)first, (uint32_t)(end < UINT32_MAX ? end : UINT32_MAX)};
}

dmd_window_t dmd_window_of(dmd_window_t window, uint32_t n) {
  return (dmd_window_t){window.first < n ? window.first : n, window.end < n ? window.end : n};
}

void dmd_answer_key_i64(dmd_jsonout_t *j, const char *key, int64_t v) {
  dmd_jsonout_key(j, key);
  dmd_jsonout_i64(j, v);
}

void dmd_answer_key_sum(dmd_jsonout_t *j, const char *key, int64_t bytes, int64_t blocks) {
  dmd_jsonout_key(j, key);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_answer_key_i64(j, "bytes", bytes);
  dmd_answer_key_i64(j, "blocks", blocks);
  dmd_jsonout_end(j);
}

static bool write_bytes(void *ctx, const char *bytes, size_t n) {
  char *text = ctx;
  dmd_mem_copy(text, bytes, n);
  text[n] = '\0';
  return true;
}

void dmd_answer_key_share(dmd_jsonout_t *j, const char *key, int64_t part, int64_t whole) {
  char text[64];
  dmd_out_t out;
  dmd_out_init(&out, write_bytes, text);
  dmd_print_percent(&out, part, whole);
  dmd_out_flush(&out);
  dmd_jsonout_key(j, key);
  dmd_jsonout_str(j, text);
}

/* ---- Printed text. ---- */

void dmd_printed_init(dmd_printed_t *printed, const dmd_env_t *env) {
  dmd_strbuf_init(&printed->text, env);
  dmd_out_init(&printed->out, dmd_strbuf_write, &printed->text);
}

void dmd_printed_end(dmd_printed_t *printed, dmd_jsonout_t *j) {
  dmd_strbuf_t *text = &printed->text;
  dmd_out_flush(&printed->out);
  while (text->n > 0 && text->text[text->n - 1] == '\n')
    dmd_strbuf_cut(text, text->n - 1);
  dmd_jsonout_str(j, text->text);
  dmd_strbuf_destroy(text);
}

void dmd_printed_end_lines(dmd_printed_t *printed, dmd_jsonout_t *j) {
  dmd_strbuf_t *text = &printed->text;
  dmd_out_flush(&printed->out);
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  char *line = text->text;
  for (size_t i = 0; i < text->n; i++) {
    if (text->text[i] != '\n')
      continue;
    text->text[i] = '\0';
    while (*line == ' ' || *line == '#')
      line++;
    if (*line != '\0')
      dmd_jsonout_str(j, line);
    line = text->text + i + 1;
  }
  dmd_jsonout_end(j);
  dmd_strbuf_destroy(text);
}

/* ---- Records. ---- */

void dmd_answer_frame(dmd_jsonout_t *j, const dmd_profile_t *profile, uint32_t frame) {
  if (profile->frame_view.full_names || !dmd_frame_is_shortened(&profile->frames, frame)) {
    dmd_jsonout_str(j, dmd_frames_text(&profile->frames, frame));
    return;
  }
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, profile->env);
  dmd_frame_shown(&text, &profile->frames, frame);
  dmd_jsonout_str(j, text.text);
  dmd_strbuf_destroy(&text);
}

void dmd_answer_frame_brief(dmd_jsonout_t *j, const dmd_profile_t *profile, uint32_t frame) {
  if (!dmd_frame_is_nameless(&profile->frames, frame)) {
    dmd_answer_frame(j, profile, frame);
    return;
  }
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, profile->env);
  dmd_frame_brief(&text, &profile->frames, frame);
  dmd_jsonout_str(j, text.text);
  dmd_strbuf_destroy(&text);
}

void dmd_answer_record_name(dmd_jsonout_t *j, dmd_view_t *view, const dmd_record_t *r) {
  enum { FRAMES = 3 };
  size_t place, n;
  const uint32_t *frames = dmd_records_frames(&view->records, r->stack, &n);
  uint32_t own = dmd_record_own_frame(&view->records, &view->pieces.allocfns, r, &place);
  dmd_jsonout_key(j, "name");
  if (own == DMD_NONE)
    dmd_jsonout_str(j, "(no stack recorded)");
  else
    dmd_answer_frame_brief(j, view->profile, own);
  dmd_jsonout_key(j, "frames");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (size_t i = place + 1; i < n && i <= place + FRAMES; i++)
    dmd_answer_frame_brief(j, view->profile, frames[i]);
  dmd_jsonout_end(j);
}

static void key_name(dmd_jsonout_t *j, const char *key, const dmd_view_t *view,
                     const dmd_record_t *r, dmd_record_field_id_t field) {
  if (!dmd_record_has_report(&dmd_record_fields[field], r))
    return;
  const char *name = dmd_record_name_text(&view->records, r, field);
  if (name != NULL)
    dmd_jsonout_key_str(j, key, name);
}

const char *dmd_answer_section(const dmd_view_t *view, const dmd_record_t *r) {
  dmd_mode_t mode = view->profile->mode;
  if (view->at_peak)
    return "peak";
  return mode == DMD_MODE_DARK_MATTER ? dmd_section_name(dmd_record_section(&view->records, r))
                                      : dmd_mode_name(mode);
}

static void write_record(dmd_jsonout_t *j, dmd_view_t *view, uint32_t id) {
  const dmd_record_t *r = dmd_records_at(&view->records, id);
  dmd_jsonout_key_u64(j, "id", id);
  dmd_answer_record_name(j, view, r);
  dmd_answer_key_i64(j, "bytes", r->usable);
  dmd_answer_key_i64(j, "blocks", r->num);
  dmd_answer_key_i64(j, "req", r->req);
  dmd_answer_key_i64(j, "slop", r->slop);
  dmd_answer_key_share(j, "share", r->usable, view->records.heap.bytes);
  dmd_jsonout_key_str(j, "section", dmd_answer_section(view, r));
  key_name(j, "reporter", view, r, DMD_RECORD_REPORTER);
  key_name(j, "tag", view, r, DMD_RECORD_TAG);
  if (r->sampled)
    dmd_jsonout_key_bool(j, "sampled", true);
  dmd_json_write_errors(j, r->variance);
}

void dmd_answer_whose(dmd_jsonout_t *j, dmd_view_t *view, const dmd_record_t *r) {
  dmd_printed_t printed;
  dmd_printed_init(&printed, view->profile->env);
  if (dmd_record_section(&view->records, r) == DMD_SECTION_UNREPORTED)
    dmd_pieces_print_hint(&view->pieces, &printed.out, r);
  dmd_jsonout_key(j, "whose");
  dmd_printed_end_lines(&printed, j);
}

void dmd_answer_record(dmd_jsonout_t *j, dmd_view_t *view, uint32_t id) {
  dmd_jsonout_object(j, DMD_JSONOUT_DENSE);
  write_record(j, view, id);
  dmd_jsonout_end(j);
}

void dmd_answer_record_whose(dmd_jsonout_t *j, dmd_view_t *view, uint32_t id) {
  dmd_jsonout_object(j, DMD_JSONOUT_DENSE);
  write_record(j, view, id);
  dmd_answer_whose(j, view, dmd_records_at(&view->records, id));
  dmd_jsonout_end(j);
}
