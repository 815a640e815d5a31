/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=files: {"files": [{"name", "kind", "process", what identifies the run, "mode", "blocks",
 * "bytes", "unreported": {"blocks", "bytes"}, "peak": {"bytes", "blocks"}, "opensPeak",
 * "recentPeak" like "peak", "timeline" and "claims": true if it has them, "reduced": {"records",
 * "bytes"}, "graph", "types"}], "graphs": [{"name", "kind", "graph", "of", "process", what
 * identifies the run, "mode", "roots", "blocks", "bytes", "edges", "types"}]}: a summary of each
 * file in the page. A profile that another program wrote has no run; "peak" is there if its records
 * are, "recentPeak" if that is another one, and "opensPeak" says whether a query without the key
 * peak shows the peak; only dark-matter mode has unreported blocks; memory reports have only name
 * and kind. "reduced" is there if a file was too large for a page. "graph" is the number of a
 * profile's graph, "of" the number of a graph's profile; "types" is how many types are known in the
 * graph. Graphs without a profile are in both lists; in "files" they come after the profiles.
 * Builds of a history have
 * {"name", "kind", "time", "branch", "moment", "environment", "old": the build before}, and the
 * history itself comes last with
 * {"name", "kind"}.
 */
#include "analyse/records/sums.h"
#include "files/profile/profilewriter.h"
#include "model/graph/nesting.h"
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/page/pagegraph.h"
#include "show/page/pagehistory.h"
#include "show/text/text_history.h"

static void write_heap(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  dmd_heapsum_t sum = dmd_heapsum_of(profile);
  dmd_answer_key_i64(j, "blocks", sum.all.blocks);
  dmd_answer_key_i64(j, "bytes", sum.all.bytes);
  if (profile->mode != DMD_MODE_DARK_MATTER)
    return;
  const dmd_blocksum_t *unreported = &sum.section[DMD_SECTION_UNREPORTED];
  dmd_answer_key_sum(j, "unreported", unreported->bytes, unreported->blocks);
}

static void write_process(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  size_t n;
  const char *program = dmd_profile_program(profile, &n);
  if (program == NULL)
    return;
  dmd_strbuf_t process;
  dmd_strbuf_init(&process, profile->env);
  dmd_strbuf_bytes(&process, program, n);
  dmd_jsonout_key_str(j, "process", process.text);
  dmd_strbuf_destroy(&process);
}

static void write_reduced(dmd_jsonout_t *j, const dmd_bundle_reduced_t *reduced) {
  dmd_jsonout_key(j, "reduced");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "records", reduced->records);
  dmd_jsonout_key_u64(j, "bytes", reduced->bytes);
  dmd_jsonout_end(j);
}

static void write_graph_of(dmd_jsonout_t *j, const dmd_session_graph_t *graph) {
  dmd_jsonout_key_u64(j, "graph", graph->number);
  dmd_jsonout_key_u64(j, "types", graph->typing->types->pool.last);
}

static bool has_claims(const dmd_session_document_t *known, const dmd_session_graph_t *graph) {
  return known->bytes != NULL || (graph != NULL && graph->heap->claims.last > 0);
}

/* The peaks that can be shown. */
static void write_peaks(dmd_jsonout_t *j, dmd_session_file_t *file) {
  static const dmd_moment_choice_t peaks[] = {DMD_MOMENT_PEAK, DMD_MOMENT_RECENT};
  if (file->n_others == 0)
    return;
  dmd_jsonout_key_bool(j, "opensPeak", file->opens_peak);
  for (int i = 0; i < 2; i++) {
    dmd_session_show(file, peaks[i]);
    if (dmd_moment_shown(&file->profile) != peaks[i])
      continue;
    dmd_heapsum_t sum = dmd_heapsum_of(&file->profile);
    dmd_answer_key_sum(j, i == 0 ? "peak" : "recentPeak", sum.all.bytes, sum.all.blocks);
  }
  dmd_session_show(file, DMD_MOMENT_END);
}

static void write_profile(dmd_jsonout_t *j, dmd_session_file_t *file) {
  const dmd_profile_t *profile = &file->profile;
  dmd_session_show(file, DMD_MOMENT_END);
  write_process(j, profile);
  if (profile->run.is_known)
    dmd_json_write_identity(j, profile);
  dmd_jsonout_key_str(j, "mode", dmd_mode_name(profile->mode));
  write_peaks(j, file);
  if (dmd_timeline_is_known(&profile->timeline))
    dmd_jsonout_key_bool(j, "timeline", true);
  if (profile->lifetimes.is_known)
    dmd_jsonout_key_bool(j, "lifetimes", true);
  write_heap(j, profile);
  if (file->reduced.records > 0)
    write_reduced(j, &file->reduced);
}

static void write_build(dmd_jsonout_t *j, const dmd_session_t *page,
                        const dmd_session_file_t *file) {
  const dmd_history_t *h = page->history;
  const dmd_kept_t *kept = dmd_history_kept(h, file->kept);
  const dmd_history_build_t *build = dmd_history_build(h, kept->build);
  const dmd_line_t line = {build->branch, kept->moment, kept->environment};
  char time[DMD_FORMAT_MAX];
  dmd_text_time(time, build->time);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(j, "name", file->name.text);
  dmd_jsonout_key_str(j, "kind", "build");
  dmd_jsonout_key_str(j, "time", time);
  dmd_answer_line(j, h, &line);
  if (kept->before != DMD_NONE)
    dmd_jsonout_key_u64(j, "old", dmd_session_file_of_kept(page, kept->before));
  dmd_jsonout_end(j);
}

static void write_history(dmd_jsonout_t *j, const dmd_history_t *h) {
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(j, "name", dmd_history_text(h, h->name));
  dmd_jsonout_key_str(j, "kind", "history");
  dmd_jsonout_end(j);
}

static void write_file(dmd_jsonout_t *j, dmd_session_file_t *file,
                       const dmd_session_graph_t *graph) {
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(j, "name", file->name.text);
  dmd_jsonout_key_str(j, "kind", file->reports != NULL ? "reports" : "profile");
  if (file->reports == NULL)
    write_profile(j, file);
  if (graph != NULL)
    write_graph_of(j, graph);
  if (has_claims(&file->claims, graph))
    dmd_jsonout_key_bool(j, "claims", true);
  dmd_jsonout_end(j);
}

static void write_graph(dmd_jsonout_t *j, const dmd_session_graph_t *graph) {
  const dmd_heapgraph_t *heap = graph->heap;
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(j, "name", graph->name.text);
  dmd_jsonout_key_str(j, "kind", "graph");
  write_graph_of(j, graph);
  if (graph->beside != DMD_SESSION_ALONE)
    dmd_jsonout_key_u64(j, "of", graph->beside);
  write_process(j, &heap->profile);
  if (heap->profile.run.is_known)
    dmd_json_write_identity(j, &heap->profile);
  dmd_jsonout_key_str(j, "mode", dmd_mode_name(heap->profile.mode));
  dmd_jsonout_key_u64(j, "roots", heap->n_roots);
  dmd_jsonout_key_u64(j, "blocks", heap->graph.n_nodes - dmd_heapgraph_first_block(heap));
  dmd_answer_key_i64(j, "bytes", dmd_nesting_heap_szB(heap));
  dmd_jsonout_key_u64(j, "edges", dmd_graph_n_edges(&heap->graph));
  if (has_claims(&graph->claims, graph))
    dmd_jsonout_key_bool(j, "claims", true);
  dmd_jsonout_end(j);
}

bool dmd_ask_files(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  (void)query;
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_jsonout_key(&j, "files");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < dmd_session_n_files(page); i++)
    if (dmd_session_file(page, i)->kept != DMD_NONE)
      write_build(&j, page, dmd_session_file(page, i));
    else
      write_file(&j, dmd_session_file(page, i), dmd_session_graph_beside(page, i));
  for (uint32_t i = 0; i < dmd_session_n_graphs(page); i++)
    if (dmd_session_graph(page, i)->beside == DMD_SESSION_ALONE)
      write_graph(&j, dmd_session_graph(page, i));
  if (page->history != NULL)
    write_history(&j, page->history);
  dmd_jsonout_end(&j);
  dmd_jsonout_key(&j, "graphs");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < dmd_session_n_graphs(page); i++)
    write_graph(&j, dmd_session_graph(page, i));
  dmd_jsonout_end(&j);
  dmd_jsonout_end(&j);
  return true;
}
