/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_graph.h"

#include "base/jsonout.h"
#include "show/text/print.h"
#include "show/text/record_json.h"

/* In the order of the sums. */
static const dmd_leak_state_t states[] = {DMD_LEAK_DEFINITELY, DMD_LEAK_INDIRECTLY,
                                          DMD_LEAK_POSSIBLY, DMD_LEAK_REACHABLE};
enum { N_STATES = sizeof states / sizeof *states };

static bool is_shown(const dmd_leaks_view_t *view, const dmd_leak_row_t *row) {
  return view->states >> row->state & 1;
}

/* ---- Text. ---- */

static const char *title(dmd_leak_state_t state) {
  static const char *const titles[DMD_N_LEAK_STATES] = {
      [DMD_LEAK_DEFINITELY] = "Definitely lost",
      [DMD_LEAK_INDIRECTLY] = "Indirectly lost",
      [DMD_LEAK_POSSIBLY] = "Possibly lost",
      [DMD_LEAK_REACHABLE] = "Still reachable",
  };
  return titles[state];
}

static void print_sum(dmd_out_t *out, const dmd_leak_sum_t *sum) {
  dmd_print_bytes(out, sum->bytes);
  dmd_out_str(out, " in ");
  dmd_print_count(out, (int64_t)sum->blocks, false, "block", "blocks");
}

static void print_row(dmd_out_t *out, const dmd_leaks_view_t *view, const dmd_leak_row_t *row) {
  const dmd_records_t *records = view->rows->records;
  dmd_out_str(out, title((dmd_leak_state_t)row->state));
  dmd_out_str(out, " {\n  ");
  print_sum(out, &row->own);
  dmd_out_str(out, ": ");
  dmd_print_kind(out, view->kinds, row->kind);
  dmd_out_char(out, '\n');
  if (row->hanging.blocks > 0) {
    dmd_out_str(out, "  ");
    print_sum(out, &row->hanging);
    dmd_out_str(out, row->hanging.blocks == 1 ? " hangs on" : " hang on");
    dmd_out_str(out, row->own.blocks == 1 ? " it\n" : " them\n");
  }
  size_t n;
  const uint32_t *frames = dmd_records_frames(records, row->stack, &n);
  dmd_print_stack_opening(out, "Allocated");
  dmd_print_frames(out, "    ", records->profile, frames, 0, n);
  dmd_out_str(out, "  }\n}\n\n");
}

static void print_rows(dmd_out_t *out, const dmd_leaks_view_t *view) {
  uint32_t of_state = 0, n = dmd_leakrows_count(view->rows);
  for (uint32_t i = 0; i < n; i++) {
    const dmd_leak_row_t *row = dmd_leakrows_at(view->rows, i);
    if (i == 0 || row->state != dmd_leakrows_at(view->rows, i - 1)->state)
      of_state = 0;
    of_state++;
    if (is_shown(view, row) && (view->max_rows == 0 || of_state <= view->max_rows))
      print_row(out, view, row);
    bool is_last = i + 1 == n || dmd_leakrows_at(view->rows, i + 1)->state != row->state;
    if (is_last && is_shown(view, row) && view->max_rows != 0 && of_state > view->max_rows) {
      dmd_print_left_out(out, of_state, view->max_rows, " more record", " more records");
      dmd_out_char(out, '\n');
    }
  }
}

static void print_total(dmd_out_t *out, const char *name, const dmd_leak_sum_t *sum) {
  dmd_out_str(out, "  ");
  dmd_out_str(out, name);
  dmd_out_str(out, ": ");
  print_sum(out, sum);
  dmd_out_char(out, '\n');
}

void dmd_leaks_print(dmd_out_t *out, const dmd_leaks_view_t *view) {
  print_rows(out, view);
  dmd_out_str(out, "Leaks {\n");
  for (int i = 0; i < N_STATES; i++)
    print_total(out, title(states[i]), &view->rows->total[states[i]]);
  if (view->rows->ignored.blocks > 0)
    print_total(out, "Ignored", &view->rows->ignored);
  dmd_out_str(out, "}\n");
}

/* ---- JSON. ---- */

static void write_sum(dmd_jsonout_t *j, const char *key, const dmd_leak_sum_t *sum) {
  dmd_jsonout_key(j, key);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "blocks", sum->blocks);
  dmd_jsonout_key_u64(j, "bytes", sum->bytes);
  dmd_jsonout_end(j);
}

static void write_row(dmd_jsonout_t *j, const dmd_leaks_view_t *view, const dmd_leak_row_t *row) {
  const dmd_records_t *records = view->rows->records;
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(j, "state", dmd_leak_state_name((dmd_leak_state_t)row->state));
  dmd_jsonout_key_str(j, "type", dmd_kinds_name(view->kinds, row->kind));
  dmd_jsonout_key_str(j, "evidence", dmd_kinds_evidence(view->kinds, row->kind));
  dmd_jsonout_key_u64(j, "blocks", row->own.blocks);
  dmd_jsonout_key_u64(j, "bytes", row->own.bytes);
  if (row->state == DMD_LEAK_DEFINITELY) {
    dmd_jsonout_key_u64(j, "hangingBlocks", row->hanging.blocks);
    dmd_jsonout_key_u64(j, "hangingBytes", row->hanging.bytes);
  }
  dmd_jsonout_key(j, "allocatedAt");
  if (row->stack == DMD_NONE) {
    dmd_jsonout_null(j);
  } else {
    size_t n;
    const uint32_t *frames = dmd_records_frames(records, row->stack, &n);
    dmd_json_write_frames(j, records->profile, frames, n);
  }
  dmd_jsonout_end(j);
}

void dmd_leaks_write_sums(dmd_jsonout_t *j, const dmd_leaks_view_t *view) {
  for (int i = 0; i < N_STATES; i++)
    write_sum(j, dmd_leak_state_name(states[i]), &view->rows->total[states[i]]);
  write_sum(j, "ignored", &view->rows->ignored);
}

void dmd_leaks_write_rows(dmd_jsonout_t *j, const dmd_leaks_view_t *view, uint32_t first,
                          uint32_t end) {
  dmd_jsonout_key(j, "rows");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = first; i < end; i++)
    if (is_shown(view, dmd_leakrows_at(view->rows, i)))
      write_row(j, view, dmd_leakrows_at(view->rows, i));
  dmd_jsonout_end(j);
}

void dmd_leaks_json(dmd_out_t *out, const dmd_leaks_view_t *view) {
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_leaks_write_sums(&j, view);
  dmd_leaks_write_rows(&j, view, 0, dmd_leakrows_count(view->rows));
  dmd_jsonout_end(&j);
}
