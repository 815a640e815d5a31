/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_rows.h"

#include "analyse/records/record.h"
#include "show/text/print.h"
#include "show/text/record_json.h"

enum { WIDTH = 15, PERCENT_WIDTH = 9 };

static bool has_states(const dmd_rows_t *rows) {
  return rows->records->profile->mode == DMD_MODE_DARK_MATTER;
}

static void print_heads(dmd_out_t *out, const dmd_rows_t *rows) {
  dmd_out_right(out, "bytes", WIDTH);
  dmd_out_right(out, "of heap", PERCENT_WIDTH);
  dmd_out_right(out, "blocks", WIDTH);
  if (has_states(rows)) {
    dmd_out_right(out, "unreported", WIDTH);
    dmd_out_right(out, "twice-reported", WIDTH);
  }
  dmd_out_char(out, '\n');
}

static void print_row(dmd_out_t *out, const dmd_rows_t *rows, uint32_t i) {
  const dmd_tally_t *row = dmd_rows_at(rows, i);
  dmd_print_number_column(out, row->total, WIDTH);
  dmd_print_percent_column(out, row->total, rows->records->heap.bytes, PERCENT_WIDTH);
  dmd_print_number_column(out, row->num, WIDTH);
  if (has_states(rows)) {
    dmd_print_number_column(out, row->usable[DMD_SECTION_UNREPORTED], WIDTH);
    dmd_print_number_column(out, row->usable[DMD_SECTION_TWICE], WIDTH);
  }
  dmd_out_str(out, "  ");
  dmd_out_safe(out, dmd_rows_name(rows, i));
  dmd_out_char(out, '\n');
}

void dmd_rows_print(dmd_out_t *out, const dmd_rows_t *rows, uint32_t max_rows) {
  uint32_t n = max_rows != 0 && max_rows < rows->n ? max_rows : rows->n;
  print_heads(out, rows);
  for (uint32_t i = 0; i < n; i++)
    print_row(out, rows, i);
  dmd_print_left_out(out, rows->n, n, " more", " more");
  if (rows->records->heap.sampled)
    dmd_out_str(out, "# Blocks were sampled: amounts are estimates.\n");
}

static void key_i64(dmd_jsonout_t *j, const char *key, int64_t v) {
  dmd_jsonout_key(j, key);
  dmd_jsonout_i64(j, v);
}

void dmd_rows_write_tally(dmd_jsonout_t *j, const dmd_tally_t *tally, dmd_mode_t mode) {
  key_i64(j, "blocks", tally->num);
  key_i64(j, "bytes", tally->total);
  if (mode != DMD_MODE_DARK_MATTER)
    return;
  for (int section = DMD_SECTION_TWICE; section <= DMD_SECTION_ONCE; section++)
    key_i64(j, dmd_section_name(section), tally->usable[section]);
}

void dmd_rows_json(dmd_out_t *out, const dmd_rows_t *rows, uint32_t max_rows) {
  const dmd_records_t *records = rows->records;
  dmd_mode_t mode = records->profile->mode;
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(&j, "mode", dmd_mode_name(mode));
  dmd_jsonout_key(&j, "heap");
  dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
  dmd_json_write_sum(&j, &records->heap);
  dmd_jsonout_end(&j);
  dmd_jsonout_key(&j, "rows");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  uint32_t n = max_rows != 0 && max_rows < rows->n ? max_rows : rows->n;
  for (uint32_t i = 0; i < n; i++) {
    dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_str(&j, "name", dmd_rows_name(rows, i));
    dmd_rows_write_tally(&j, dmd_rows_at(rows, i), mode);
    dmd_jsonout_end(&j);
  }
  dmd_jsonout_end(&j);
  if (n < rows->n)
    dmd_jsonout_key_u64(&j, "leftOut", rows->n - n);
  dmd_jsonout_end(&j);
}

/* ---- Changes between two profiles. ---- */

/* "1,000 to 1,200 bytes (+20.00%)" */
static void print_change(dmd_out_t *out, int64_t before, int64_t now) {
  dmd_print_number(out, before, false);
  dmd_out_str(out, " to ");
  dmd_print_number(out, now, false);
  dmd_out_str(out, " bytes");
  if (before != 0 && now != before) {
    dmd_out_str(out, now > before ? " (+" : " (");
    dmd_print_percent(out, now - before, before);
    dmd_out_char(out, ')');
  }
}

static void print_state(dmd_out_t *out, const dmd_tally_t *before, const dmd_tally_t *now,
                        dmd_section_t state) {
  print_change(out, before->usable[state], now->usable[state]);
}

void dmd_changes_print_whole(dmd_out_t *out, const dmd_changes_t *c) {
  dmd_out_str(out, c->is_of_peak ? "The peak went from " : "The heap went from ");
  print_change(out, c->before.total, c->now.total);
  if (c->mode == DMD_MODE_DARK_MATTER) {
    dmd_out_str(out, ", unreported from ");
    print_state(out, &c->before, &c->now, DMD_SECTION_UNREPORTED);
    dmd_out_str(out, ", twice-reported from ");
    print_state(out, &c->before, &c->now, DMD_SECTION_TWICE);
  }
  dmd_out_str(out, ".\n\n");
}

/* "Grown, unreported", "Was unreported, now once-reported" */
void dmd_changes_print_kind(dmd_out_t *out, const dmd_place_t *p) {
  static const char *const words[] = {[DMD_CHANGE_NEW] = "New, ",
                                      [DMD_CHANGE_GONE] = "Gone, ",
                                      [DMD_CHANGE_GROWN] = "Grown, ",
                                      [DMD_CHANGE_SHRUNK] = "Shrunk, ",
                                      [DMD_CHANGE_OTHER] = "Changed, "};
  dmd_change_t change = dmd_place_change(p);
  if (change == DMD_CHANGE_STATUS) {
    dmd_out_str(out, "Was ");
    dmd_out_str(out, dmd_section_name(dmd_tally_main_state(&p->before)));
    dmd_out_str(out, ", now ");
  } else {
    dmd_out_str(out, words[change]);
  }
  const dmd_tally_t *there = change == DMD_CHANGE_GONE ? &p->before : &p->now;
  dmd_out_str(out, dmd_section_name(dmd_tally_main_state(there)));
}

static void print_place(dmd_out_t *out, const dmd_changes_t *c, const dmd_place_t *p) {
  dmd_changes_print_kind(out, p);
  dmd_out_str(out, " {\n  ");
  print_change(out, p->before.total, p->now.total);
  dmd_out_str(out, ", ");
  dmd_print_number(out, p->before.num, false);
  dmd_out_str(out, " to ");
  dmd_print_number(out, p->now.num, false);
  dmd_out_str(out, " blocks\n");
  for (int state = 0; state < DMD_SECTION_ALL; state++) {
    int64_t before = p->before.usable[state], now = p->now.usable[state];
    if (before == now || (before == p->before.total && now == p->now.total))
      continue;
    dmd_out_str(out, "  ");
    dmd_out_str(out, dmd_section_name(state));
    dmd_out_str(out, ": ");
    print_change(out, before, now);
    dmd_out_char(out, '\n');
  }
  dmd_print_stack_opening(out, dmd_record_fields[DMD_RECORD_ALLOCATED_AT].words);
  size_t n;
  const uint32_t *frames = dmd_profile_frames(&c->shown, p->stack, &n);
  dmd_print_frames(out, "    ", &c->shown, frames, 0, n);
  dmd_out_str(out, "  }\n}\n\n");
}

void dmd_changes_print(dmd_out_t *out, const dmd_changes_t *c, uint32_t max_places) {
  uint32_t n = max_places != 0 && max_places < c->n ? max_places : c->n;
  dmd_changes_print_whole(out, c);
  if (c->n == 0)
    dmd_out_str(out, "No place changed.\n");
  for (uint32_t i = 0; i < n; i++)
    print_place(out, c, dmd_changes_at(c, i));
  dmd_print_left_out(out, c->n, n, " more place that changed", " more places that changed");
}
