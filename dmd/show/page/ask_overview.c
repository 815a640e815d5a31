/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=overview: what people look at first: {"mode", "moment": "peak" or "end", "peak": lines
 * about the peak and an attach, "" if there are none, "heap", "sampled", if sampled the
 * "bytesError" and "blocksError" of the heap, "sections": [{"name", "bytes", "blocks", "records",
 * "share"}], "faults" (ask_faults.c), "worst": [the largest records, in dark-matter mode the
 * unreported ones, each with "whose"], "all": [sentences about all unreported blocks], "waste":
 * sentences about what could be saved, "" if there is no heap graph, or a large one, "reporters"
 * and "tags": {"total", "rows"}, "findings": [what the screen of dmdv has, but claims: the members
 * of dmdv --json (show/text/text_findings.h), "share", and of blocks of a record "record": its
 * id]}; with old no findings, and also "changed": {"sentence", "total", "places": [...]}.
 */
#include "analyse/findings/findings.h"
#include "analyse/records/changes.h"
#include "analyse/time/growth.h"
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/page/pagegraph.h"
#include "show/text/record_json.h"
#include "show/text/text_findings.h"
#include "show/text/text_rows.h"
#include "show/text/text_waste.h"

enum { WORST = 5, FAULTS = 3, ROWS = 10, PLACES = 5 };

static void write_section(dmd_jsonout_t *j, const dmd_view_t *view, dmd_section_t section,
                          const char *name) {
  const dmd_section_records_t *s = &view->records.section[section];
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(j, "name", name);
  dmd_answer_key_i64(j, "bytes", s->sum.bytes);
  dmd_answer_key_i64(j, "blocks", s->sum.blocks);
  dmd_jsonout_key_u64(j, "records", s->n);
  dmd_answer_key_share(j, "share", s->sum.bytes, view->records.heap.bytes);
  dmd_jsonout_end(j);
}

static void write_moment(dmd_jsonout_t *j, dmd_view_t *view) {
  dmd_printed_t printed;
  dmd_printed_init(&printed, view->profile->env);
  dmd_jsonout_key_str(j, "moment", view->at_peak ? "peak" : "end");
  dmd_pieces_print_peak(&view->pieces, &printed.out);
  dmd_jsonout_key(j, "peak");
  dmd_printed_end(&printed, j);
}

static void write_sections(dmd_jsonout_t *j, const dmd_view_t *view) {
  dmd_mode_t mode = view->profile->mode;
  dmd_jsonout_key(j, "sections");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  if (mode == DMD_MODE_DARK_MATTER) {
    static const dmd_section_t order[] = {DMD_SECTION_UNREPORTED, DMD_SECTION_ONCE,
                                          DMD_SECTION_TWICE};
    for (int i = 0; i < 3; i++)
      write_section(j, view, order[i], dmd_section_name(order[i]));
  } else {
    write_section(j, view, DMD_SECTION_ALL, view->at_peak ? "peak" : dmd_mode_name(mode));
  }
  dmd_jsonout_end(j);
}

/* Writes the records of the section that needs attention, the largest first. */
static void write_worst(dmd_jsonout_t *j, dmd_view_t *view) {
  bool is_dark = view->profile->mode == DMD_MODE_DARK_MATTER;
  const dmd_section_records_t *s =
      &view->records.section[is_dark ? DMD_SECTION_UNREPORTED : DMD_SECTION_ALL];
  dmd_jsonout_key(j, "worst");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < s->n && i < WORST; i++)
    dmd_answer_record_whose(j, view, s->ids[i]);
  dmd_jsonout_end(j);
}

static void write_hint_on_all(dmd_jsonout_t *j, dmd_view_t *view) {
  dmd_printed_t printed;
  dmd_printed_init(&printed, view->profile->env);
  if (view->records.section[DMD_SECTION_UNREPORTED].n > 0)
    dmd_pieces_print_hint_on_all(&view->pieces, &printed.out);
  dmd_jsonout_key(j, "all");
  dmd_printed_end_lines(&printed, j);
}

/* What could be saved; NULL: it is not known. */
static const dmd_waste_t *waste_of(const dmd_session_t *page, const dmd_view_t *view) {
  dmd_session_graph_t *graph =
      view->before == NULL ? dmd_session_graph_beside(page, view->of) : NULL;
  if (graph == NULL || graph->heap->graph.n_nodes > DMD_PAGE_MAX_ADVISED)
    return NULL;
  return dmd_session_waste(graph, DMD_WASTE_LEAST_SZB);
}

static void write_waste(dmd_jsonout_t *j, const dmd_session_t *page, const dmd_view_t *view) {
  const dmd_waste_t *waste = waste_of(page, view);
  dmd_strbuf_t sentence;
  dmd_strbuf_init(&sentence, page->env);
  if (waste != NULL)
    dmd_waste_sentence(&sentence, waste);
  dmd_jsonout_key_str(j, "waste", sentence.text);
  dmd_strbuf_destroy(&sentence);
}

static void write_rows(dmd_jsonout_t *j, const dmd_view_t *view, dmd_by_t by, const char *key) {
  dmd_rows_t rows;
  dmd_rows_init(&rows, &view->records, by, 0);
  dmd_jsonout_key(j, key);
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_u64(j, "total", rows.n);
  dmd_jsonout_key(j, "rows");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < rows.n && i < ROWS; i++) {
    const dmd_tally_t *row = dmd_rows_at(&rows, i);
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_str(j, "name", dmd_rows_name(&rows, i));
    dmd_rows_write_tally(j, row, view->profile->mode);
    dmd_answer_key_share(j, "share", row->total, view->records.heap.bytes);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
  dmd_rows_destroy(&rows);
}

/* ---- Findings. ---- */

static void write_finding(dmd_jsonout_t *j, const dmd_view_t *view, dmd_findingnames_t *names,
                          const dmd_finding_t *finding) {
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_finding_write(j, names, finding);
  dmd_answer_key_share(j, "share", finding->bytes, view->records.heap.bytes);
  if (finding->kind == DMD_FINDING_UNREPORTED || finding->kind == DMD_FINDING_TWICE)
    dmd_jsonout_key_u64(j, "record", finding->id);
  dmd_jsonout_end(j);
}

/* What the screen of dmdv shows, with the same words. */
static void write_findings(dmd_jsonout_t *j, const dmd_session_t *page, dmd_view_t *view) {
  const dmd_section_records_t *section = view->records.section;
  dmd_growth_t growth;
  dmd_findings_of_t of = {
      .records = &view->records,
      .has_reports = view->profile->mode == DMD_MODE_DARK_MATTER &&
                     (section[DMD_SECTION_ONCE].n > 0 || section[DMD_SECTION_TWICE].n > 0),
      .growth = dmd_growth_find(&view->profile->timeline, &growth) ? &growth : NULL,
      .waste = waste_of(page, view)};
  dmd_findings_t findings;
  dmd_findings_init(&findings, &of);
  dmd_printer_t printer = {.records = &view->records,
                           .profile = view->profile,
                           .hint = &view->pieces.hint,
                           .owners = view->pieces.owners,
                           .allocfns = &view->pieces.allocfns};
  dmd_findingnames_t names;
  dmd_findingnames_init(&names, &findings, &printer);
  for (uint32_t i = 0; i < findings.n; i++)
    write_finding(j, view, &names, &findings.all[i]);
  dmd_findingnames_destroy(&names);
  dmd_findings_destroy(&findings);
}

/* ---- Changes. ---- */

static void write_place(dmd_jsonout_t *j, const dmd_changes_t *changes, uint32_t i) {
  const dmd_place_t *place = dmd_changes_at(changes, i);
  size_t n;
  const uint32_t *frames = dmd_profile_frames(&changes->shown, place->stack, &n);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_printed_t printed;
  dmd_printed_init(&printed, changes->shown.env);
  dmd_changes_print_kind(&printed.out, place);
  dmd_jsonout_key(j, "what");
  dmd_printed_end(&printed, j);
  dmd_answer_key_sum(j, "before", place->before.total, place->before.num);
  dmd_answer_key_sum(j, "now", place->now.total, place->now.num);
  dmd_jsonout_key(j, "frames");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (size_t k = 0; k < n; k++)
    dmd_answer_frame_brief(j, &changes->shown, frames[k]);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

static void write_changed(dmd_jsonout_t *j, const dmd_session_t *page, const dmd_view_t *view) {
  const dmd_profile_t *now = &dmd_session_file(page, view->of)->profile;
  dmd_changes_t changes;
  dmd_changes_init(&changes, view->before, now, view->max_frames);
  dmd_jsonout_key(j, "changed");
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_printed_t printed;
  dmd_printed_init(&printed, page->env);
  dmd_changes_print_whole(&printed.out, &changes);
  dmd_jsonout_key(j, "sentence");
  dmd_printed_end(&printed, j);
  dmd_jsonout_key_u64(j, "total", changes.n);
  dmd_jsonout_key(j, "places");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < changes.n && i < PLACES; i++)
    write_place(j, &changes, i);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
  dmd_changes_destroy(&changes);
}

/* ---- The answer. ---- */

bool dmd_ask_overview(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  dmd_view_t *view = dmd_session_view(page, query);
  if (view == NULL)
    return false;
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(&j, "mode", dmd_mode_name(view->profile->mode));
  write_moment(&j, view);
  dmd_answer_key_sum(&j, "heap", view->records.heap.bytes, view->records.heap.blocks);
  dmd_jsonout_key_bool(&j, "sampled", view->records.heap.sampled);
  dmd_json_write_errors(&j, view->records.heap.variance);
  write_sections(&j, view);
  dmd_jsonout_key(&j, "faults");
  dmd_answer_faults(&j, view, (dmd_window_t){0, FAULTS});
  write_worst(&j, view);
  write_hint_on_all(&j, view);
  write_waste(&j, page, view);
  write_rows(&j, view, DMD_BY_REPORTER, "reporters");
  write_rows(&j, view, DMD_BY_TAG, "tags");
  dmd_jsonout_key(&j, "findings");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  if (view->before == NULL)
    write_findings(&j, page, view);
  dmd_jsonout_end(&j);
  if (view->before != NULL)
    write_changed(&j, page, view);
  dmd_jsonout_end(&j);
  return true;
}
