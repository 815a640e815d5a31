/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_graph.h"

#include "base/format.h"
#include "base/jsonout.h"
#include "show/text/print.h"

enum { WIDTH = 15, PERCENT_WIDTH = 9, BLOCKS_WIDTH = 12, INDENT = 2 };

/* ---- Text. ---- */

static void print_heads(dmd_out_t *out) {
  dmd_out_right(out, "retained", WIDTH);
  dmd_out_right(out, "of heap", PERCENT_WIDTH);
  dmd_out_right(out, "blocks", BLOCKS_WIDTH);
  dmd_out_right(out, "own bytes", WIDTH);
  dmd_out_char(out, '\n');
}

static void print_blanks(dmd_out_t *out, size_t n) {
  for (; n > 0; n--)
    dmd_out_char(out, ' ');
}

/* `items[]: product`, `stack of thread 1 in main`, `entry (lost)` */
static void print_label(dmd_out_t *out, const dmd_retainedrows_t *rows,
                        const dmd_retained_row_t *row) {
  if (row->way != DMD_NONE) {
    dmd_print_kind(out, rows->kinds, row->way);
    dmd_out_str(out, ": ");
  }
  dmd_print_kind(out, rows->kinds, row->kind);
  if (row->blocks > 1) {
    dmd_out_str(out, " x ");
    dmd_print_number(out, row->blocks, false);
  }
  if (row->held == DMD_HELD_BY_SEVERAL)
    dmd_out_str(out, " (on several ways)");
  else if (row->held == DMD_HELD_LOST)
    dmd_out_str(out, " (lost)");
  if (row->retained.least < row->retained.all) {
    dmd_out_str(out, " (at least ");
    dmd_print_unsigned(out, row->retained.least);
    dmd_out_str(out, ": some pointers are doubtful)");
  }
}

static void print_row(dmd_out_t *out, const dmd_retainedrows_t *rows,
                      const dmd_retained_row_t *row) {
  int64_t heap = (int64_t)rows->retained->bytes[DMD_GRAPH_ALL];
  dmd_print_number_column(out, (int64_t)row->retained.all, WIDTH);
  dmd_print_percent_column(out, (int64_t)row->retained.all, heap, PERCENT_WIDTH);
  dmd_print_number_column(out, row->blocks, BLOCKS_WIDTH);
  dmd_print_number_column(out, (int64_t)row->bytes, WIDTH);
  print_blanks(out, INDENT * (size_t)row->depth);
  print_label(out, rows, row);
  dmd_out_char(out, '\n');
}

static void print_left_out(dmd_out_t *out, const dmd_retained_row_t *row) {
  if (row->n_left_out == 0)
    return;
  print_blanks(out, WIDTH + PERCENT_WIDTH + BLOCKS_WIDTH + WIDTH + INDENT * (row->depth + 1ul));
  dmd_out_char(out, '(');
  dmd_print_count(out, row->n_left_out, false, "smaller row", "smaller rows");
  dmd_out_str(out, ")\n");
}

/* Prints lines about small rows after the last row of their parent. */
static void print_ends(dmd_out_t *out, const dmd_retainedrows_t *rows,
                       const dmd_retained_row_t *row) {
  if (row->first_kid != DMD_NONE)
    return;
  print_left_out(out, row);
  for (; row->next == DMD_NONE && row->parent != DMD_NONE; print_left_out(out, row))
    row = dmd_retainedrows_at(rows, row->parent);
}

void dmd_retained_print(dmd_out_t *out, const dmd_retainedrows_t *rows) {
  const dmd_retained_row_t *top = dmd_retainedrows_at(rows, DMD_RETAINED_TOP);
  dmd_print_bytes(out, top->bytes);
  dmd_out_str(out, " in ");
  dmd_print_count(out, top->blocks, false, "block", "blocks");
  if (!rows->is_whole) {
    dmd_out_str(out, "; ");
    dmd_print_bytes(out, rows->joint);
    dmd_out_str(out, top->blocks == 1 ? " would go with it" : " would go with all of them");
  }
  dmd_out_str(out, "\n\n");
  print_heads(out);
  for (uint32_t id = DMD_RETAINED_TOP; id != DMD_NONE; id = dmd_retainedrows_after(rows, id)) {
    const dmd_retained_row_t *row = dmd_retainedrows_at(rows, id);
    if (id != DMD_RETAINED_TOP)
      print_row(out, rows, row);
    print_ends(out, rows, row);
  }
}

/* ---- JSON. ---- */

void dmd_retained_write_row(dmd_jsonout_t *j, const dmd_retainedrows_t *rows,
                            const dmd_retained_row_t *row) {
  static const char *const held[] = {"member", "several", "root", "lost", "chosen"};
  const dmd_heapgraph_t *graph = rows->retained->graph;
  bool is_root = row->held == DMD_HELD_ROOT;
  dmd_jsonout_key_str(j, "held", held[row->held]);
  if (is_root || row->way != DMD_NONE)
    dmd_jsonout_key_str(j, "name", dmd_kinds_name(rows->kinds, is_root ? row->kind : row->way));
  if (!is_root) {
    dmd_jsonout_key_str(j, "type", dmd_kinds_name(rows->kinds, row->kind));
    dmd_jsonout_key_str(j, "evidence", dmd_kinds_evidence(rows->kinds, row->kind));
  }
  if (row->blocks == 1)
    dmd_jsonout_key_address(j, "address", dmd_heapgraph_block(graph, row->first_node)->addr);
  dmd_jsonout_key_u64(j, "blocks", row->blocks);
  dmd_jsonout_key_u64(j, "bytes", row->bytes);
  dmd_jsonout_key_u64(j, "retained", row->retained.all);
  if (row->retained.least < row->retained.all)
    dmd_jsonout_key_u64(j, "retainedAtLeast", row->retained.least);
}

void dmd_retained_write_total(dmd_jsonout_t *j, const dmd_retainedrows_t *rows) {
  const dmd_retained_row_t *top = dmd_retainedrows_at(rows, DMD_RETAINED_TOP);
  dmd_jsonout_key(j, "total");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "blocks", top->blocks);
  dmd_jsonout_key_u64(j, "bytes", top->bytes);
  dmd_jsonout_key_u64(j, "retained", rows->joint);
  dmd_jsonout_end(j);
}

static void begin_row(dmd_jsonout_t *j, const dmd_retainedrows_t *rows,
                      const dmd_retained_row_t *row) {
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_retained_write_row(j, rows, row);
  dmd_jsonout_key(j, "rows");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
}

static void end_row(dmd_jsonout_t *j) {
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

void dmd_retained_json(dmd_out_t *out, const dmd_retainedrows_t *rows) {
  const dmd_retained_row_t *top = dmd_retainedrows_at(rows, DMD_RETAINED_TOP);
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_retained_write_total(&j, rows);
  dmd_jsonout_key(&j, "rows");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  for (uint32_t id = top->first_kid; id != DMD_NONE;) {
    const dmd_retained_row_t *row = dmd_retainedrows_at(rows, id);
    begin_row(&j, rows, row);
    id = dmd_retainedrows_after(rows, id);
    if (row->first_kid != DMD_NONE)
      continue;
    end_row(&j);
    for (; row->next == DMD_NONE && row->parent != DMD_RETAINED_TOP; end_row(&j))
      row = dmd_retainedrows_at(rows, row->parent);
  }
  dmd_jsonout_end(&j);
  dmd_jsonout_end(&j);
}
