/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=record&id=: everything about one record: {"id", "section", "rank", "name", the members in
 * dmdv print --json, "share", "shareOfSection", "cumulative", "whose": [sentences], "stacks":
 * {"total", "rows": [{"bytes", "blocks", "frames"}]}, "text"}. The stacks are complete, the largest
 * first; first and count select a window. The text is that of dmdv print. If the page has source
 * lines, "source": [{"frame", "file", "line", "lines": [{"line", "text"}]}] has those around the
 * first frames of the allocation stack, starting at the one that allocated.
 */
#include "base/limits.h"
#include "show/page/answer.h"
#include "show/page/asks.h"

enum { STACKS = 10 };

dmd_record_rank_t dmd_answer_rank(const dmd_records_t *records, uint32_t id) {
  const dmd_section_records_t *s =
      &records->section[dmd_record_section(records, dmd_records_at(records, id))];
  dmd_record_rank_t rank = {0};
  for (uint32_t i = 0; i < s->n; i++) {
    rank.cumulative += dmd_records_at(records, s->ids[i])->usable;
    if (s->ids[i] == id) {
      rank.rank = i + 1;
      return rank;
    }
  }
  return rank;
}

/* ---- Whole stacks. ---- */

typedef struct {
  uint32_t stack;
  int64_t usable, num;
} part_t;

static int compare_stacks(const void *ctx, uint32_t a, uint32_t b) {
  const part_t *parts = ctx;
  return (parts[a].stack > parts[b].stack) - (parts[a].stack < parts[b].stack);
}

static int compare_parts(const void *ctx, uint32_t a, uint32_t b) {
  const part_t *parts = ctx;
  int order = dmd_compare_magnitudes(parts[a].usable, parts[b].usable);
  return order != 0 ? order : compare_stacks(ctx, a, b);
}

static void write_part(dmd_jsonout_t *j, const dmd_profile_t *profile, const part_t *part) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(profile, part->stack, &n);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_answer_key_i64(j, "bytes", part->usable);
  dmd_answer_key_i64(j, "blocks", part->num);
  dmd_jsonout_key(j, "frames");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (size_t i = 0; i < n; i++)
    dmd_answer_frame(j, profile, frames[i]);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

/* Adds up the record's groups by stack. Returns the number of parts; the first ones are in
 * `order`. */
static uint32_t add_up(const dmd_view_t *view, const dmd_record_t *r, part_t *parts,
                       uint32_t *order) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < r->n_groups; i++) {
    const dmd_group_t *g = dmd_record_group(&view->records, r, i);
    parts[i] =
        (part_t){g->stack, dmd_group_usable(view->profile, g), dmd_group_blocks(view->profile, g)};
    order[i] = i;
  }
  dmd_sort(view->profile->env, order, r->n_groups, compare_stacks, parts);
  for (uint32_t i = 0; i < r->n_groups; i++) {
    const part_t *part = &parts[order[i]];
    if (n > 0 && parts[order[n - 1]].stack == part->stack) {
      parts[order[n - 1]].usable += part->usable;
      parts[order[n - 1]].num += part->num;
    } else {
      order[n++] = order[i];
    }
  }
  dmd_sort(view->profile->env, order, n, compare_parts, parts);
  return n;
}

static void write_stacks(dmd_jsonout_t *j, const dmd_view_t *view, const dmd_record_t *r,
                         dmd_window_t window) {
  const dmd_env_t *env = view->profile->env;
  part_t *parts = dmd_env_alloc(env, "dmd.page.stacks", ((size_t)r->n_groups + 1) * sizeof *parts);
  uint32_t *order =
      dmd_env_alloc(env, "dmd.page.stacks", ((size_t)r->n_groups + 1) * sizeof *order);
  uint32_t n = add_up(view, r, parts, order);
  window = dmd_window_of(window, n);
  dmd_jsonout_key(j, "stacks");
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_u64(j, "total", n);
  dmd_jsonout_key_u64(j, "first", window.first);
  dmd_jsonout_key(j, "rows");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = window.first; i < window.end; i++)
    write_part(j, view->profile, &parts[order[i]]);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
  dmd_env_free(env, order);
  dmd_env_free(env, parts);
}

/* ---- Source lines. ---- */

enum { AROUND = 3, FRAMES = 4 };

/* Writes the available lines around a frame's line. Without any, writes nothing and returns
 * false. */
static bool write_lines(dmd_jsonout_t *j, const dmd_bundle_t *image, const dmd_profile_t *profile,
                        uint32_t frame) {
  dmd_location_t at = dmd_frames_location(&profile->frames, frame);
  if (at.file == NULL || at.line == 0 || at.line > DMD_MAX_COUNT ||
      dmd_bundle_source_line(image, at.file, at.line) == NULL)
    return false;
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key(j, "frame");
  dmd_answer_frame(j, profile, frame);
  dmd_jsonout_key_str(j, "file", at.file);
  dmd_jsonout_key_u64(j, "line", at.line);
  dmd_jsonout_key(j, "lines");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  uint64_t line = at.line > AROUND ? at.line - AROUND : 1;
  for (; line <= at.line + AROUND; line++) {
    const char *text = dmd_bundle_source_line(image, at.file, line);
    if (text == NULL)
      continue;
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_u64(j, "line", line);
    dmd_jsonout_key_str(j, "text", text);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
  return true;
}

static void write_source(dmd_jsonout_t *j, dmd_view_t *view, const dmd_bundle_t *image,
                         const dmd_record_t *r) {
  size_t n, place;
  const uint32_t *frames = dmd_records_frames(&view->records, r->stack, &n);
  if (image == NULL || n == 0)
    return;
  dmd_record_own_frame(&view->records, &view->pieces.allocfns, r, &place);
  dmd_jsonout_key(j, "source");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (int written = 0; place < n && written < FRAMES; place++)
    written += write_lines(j, image, view->profile, frames[place]);
  dmd_jsonout_end(j);
}

/* ---- The answer. ---- */

static void write_text(dmd_jsonout_t *j, dmd_view_t *view, const dmd_record_t *r,
                       dmd_record_rank_t rank) {
  dmd_printed_t text;
  dmd_printed_init(&text, view->profile->env);
  dmd_pieces_print_record(&view->pieces, &text.out, rank.rank, r, rank.cumulative);
  dmd_jsonout_key(j, "text");
  dmd_printed_end(&text, j);
}

static void write_record(dmd_jsonout_t *j, dmd_view_t *view, const dmd_bundle_t *image, uint32_t id,
                         dmd_window_t window) {
  const dmd_records_t *records = &view->records;
  const dmd_record_t *r = dmd_records_at(records, id);
  dmd_section_t section = dmd_record_section(records, r);
  const dmd_section_records_t *s = &records->section[section];
  dmd_record_rank_t rank = dmd_answer_rank(records, id);
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_u64(j, "id", id);
  dmd_jsonout_key_str(j, "section", dmd_answer_section(view, r));
  dmd_jsonout_key_u64(j, "rank", rank.rank);
  dmd_jsonout_key_u64(j, "of", s->n_all);
  dmd_answer_record_name(j, view, r);
  dmd_pieces_write_record(&view->pieces, j, r);
  dmd_answer_key_share(j, "share", r->usable, records->heap.bytes);
  dmd_answer_key_share(j, "shareOfSection", r->usable, s->sum.bytes);
  dmd_answer_key_share(j, "cumulative", rank.cumulative, records->heap.bytes);
  if (r->most_reports > 0)
    dmd_jsonout_key_u64(j, "mostReports", r->most_reports);
  dmd_answer_whose(j, view, r);
  write_stacks(j, view, r, window);
  write_source(j, view, image, r);
  write_text(j, view, r, rank);
  dmd_jsonout_end(j);
}

bool dmd_ask_record(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  dmd_view_t *view = dmd_session_view(page, query);
  if (view == NULL)
    return false;
  if (view->records.records.last == 0)
    return dmd_query_reject(query, "there is no record", "the file has no blocks");
  uint32_t id = (uint32_t)dmd_query_number(query, "id", 1, view->records.records.last, 1);
  dmd_window_t window = dmd_window_read(query, STACKS);
  if (query->failed)
    return false;
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  write_record(&j, view, dmd_session_file(page, view->of)->image, id, window);
  return true;
}
