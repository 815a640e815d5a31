/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text/text_rows.h"

#include "text/print.h"

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
}
