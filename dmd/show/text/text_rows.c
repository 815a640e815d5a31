/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_rows.h"

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
  dmd_print_percent_column(out, row->total, rows->records->usable, PERCENT_WIDTH);
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
  if (rows->records->sampled)
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

void dmd_rows_json(dmd_out_t *out, const dmd_rows_t *rows) {
  const dmd_records_t *records = rows->records;
  dmd_mode_t mode = records->profile->mode;
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(&j, "mode", dmd_mode_name(mode));
  dmd_jsonout_key(&j, "heap");
  dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
  key_i64(&j, "bytes", records->usable);
  key_i64(&j, "blocks", records->num);
  dmd_json_write_errors(&j, records->variance);
  dmd_jsonout_end(&j);
  dmd_jsonout_key(&j, "rows");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < rows->n; i++) {
    dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_str(&j, "name", dmd_rows_name(rows, i));
    dmd_rows_write_tally(&j, dmd_rows_at(rows, i), mode);
    dmd_jsonout_end(&j);
  }
  dmd_jsonout_end(&j);
  dmd_jsonout_end(&j);
}
