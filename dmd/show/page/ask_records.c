/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=records: {"total", "bytes", "blocks", "heap": {"bytes", "blocks"}, "shown": {"total",
 * "bytes", "blocks"}, "hasReporters", "hasTags", "first", "rows": [...]}: a window of the records
 * that a query selects (recordlist.h) or, with by, of their sums (the same). total, bytes and
 * blocks are those of the sections without filters, and so are hasReporters and hasTags: whether
 * any record has one. shown is what passes the filters. A row is written by dmd_answer_record, or
 * is {"id", "name", sums, "share"}.
 */
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/text/text_rows.h"

enum { ROWS = 100 };

static void write_totals(dmd_jsonout_t *j, const dmd_view_t *view, uint32_t total,
                         uint32_t n_shown) {
  const dmd_recordlist_t *list = &view->list;
  dmd_jsonout_key_str(j, "mode", dmd_mode_name(view->profile->mode));
  dmd_jsonout_key_u64(j, "total", total);
  dmd_answer_key_i64(j, "bytes", list->all.sum.bytes);
  dmd_answer_key_i64(j, "blocks", list->all.sum.blocks);
  dmd_answer_key_sum(j, "heap", view->records.heap.bytes, view->records.heap.blocks);
  dmd_jsonout_key(j, "shown");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "total", n_shown);
  dmd_answer_key_i64(j, "bytes", list->shown.sum.bytes);
  dmd_answer_key_i64(j, "blocks", list->shown.sum.blocks);
  dmd_jsonout_end(j);
  dmd_jsonout_key_bool(j, "sampled", view->records.heap.sampled);
  dmd_jsonout_key_bool(j, "hasReporters", list->has_reporters);
  dmd_jsonout_key_bool(j, "hasTags", list->has_tags);
}

static void write_records(dmd_jsonout_t *j, dmd_view_t *view, dmd_window_t window) {
  window = dmd_window_of(window, view->list.shown.n);
  write_totals(j, view, view->list.all.n, view->list.shown.n);
  dmd_jsonout_key_u64(j, "first", window.first);
  dmd_jsonout_key(j, "rows");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = window.first; i < window.end; i++)
    dmd_answer_record(j, view, dmd_recordlist_at(&view->list, i));
  dmd_jsonout_end(j);
}

static void write_row(dmd_jsonout_t *j, const dmd_view_t *view, uint32_t i) {
  const dmd_tally_t *row = dmd_rows_at(&view->rows.rows, i);
  dmd_jsonout_object(j, DMD_JSONOUT_DENSE);
  dmd_jsonout_key_u64(j, "id", view->rows.rows.order[i]);
  dmd_jsonout_key_str(j, "name", dmd_rows_name(&view->rows.rows, i));
  dmd_rows_write_tally(j, row, view->profile->mode);
  dmd_answer_key_share(j, "share", row->total, view->records.heap.bytes);
  dmd_jsonout_end(j);
}

static void write_rows(dmd_jsonout_t *j, const dmd_view_t *view, dmd_window_t window) {
  const dmd_rowlist_t *rows = &view->rows;
  window = dmd_window_of(window, rows->n);
  write_totals(j, view, rows->rows.n, rows->n);
  dmd_jsonout_key_u64(j, "first", window.first);
  dmd_jsonout_key(j, "rows");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = window.first; i < window.end; i++)
    write_row(j, view, rows->shown[i]);
  dmd_jsonout_end(j);
}

bool dmd_ask_records(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  dmd_selection_t selection;
  dmd_by_t by = dmd_by_read(query);
  const char *name = dmd_query_str(query, "name", "");
  dmd_window_t window = dmd_window_read(query, ROWS);
  dmd_selection_read(&selection, page, query);
  bool of_bytes = selection.sort == DMD_SESSION_SORT_REQ || selection.sort == DMD_SESSION_SORT_SLOP;
  if (by != DMD_BY_RECORD && of_bytes)
    dmd_query_reject(query, "sums have no requested bytes and no slop", "sort=usable, num or name");
  dmd_view_t *view = query->failed ? NULL : dmd_session_view(page, query);
  if (view == NULL)
    return false;
  dmd_recordlist_select(&view->list, page, &selection);
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  if (by == DMD_BY_RECORD) {
    write_records(&j, view, window);
  } else {
    dmd_rowlist_make(&view->rows, &view->list, by, &selection);
    dmd_rowlist_show(&view->rows, name, &selection);
    write_rows(&j, view, window);
  }
  dmd_jsonout_end(&j);
  return true;
}
