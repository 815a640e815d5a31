/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=series: {"processes": [{"name", "dumps": [{"of", "label", "n", "time", "heap", "sections",
 * "resident"}]}]}: the profiles of the page by process, each process's in the order of their dumps.
 * Builds of a history are not included: they have curves. sections is {NAME: {"bytes", "blocks"}},
 * in dark-matter mode only. With peak=1, or without the key if all of them open with it, the heaps
 * are those of the peaks, with peak=2 those of the recent peaks; a profile without a peak has its
 * dump.
 */
#include "analyse/records/sums.h"
#include "analyse/tree/profile_amounts.h"
#include "base/sort.h"
#include "base/str.h"
#include "show/page/answer.h"
#include "show/page/asks.h"

typedef struct {
  const dmd_session_t *page;
  char **names; /* names of processes, by file */
} series_t;

static const dmd_profile_t *profile_at(const series_t *series, uint32_t file) {
  return &dmd_session_file(series->page, file)->profile;
}

/* By process, then by dump number; files without a number keep their order. */
static int compare_files(const void *ctx, uint32_t a, uint32_t b) {
  const series_t *series = ctx;
  int order = dmd_str_compare(series->names[a], series->names[b]);
  uint64_t x = profile_at(series, a)->run.dump_number, y = profile_at(series, b)->run.dump_number;
  return order != 0 ? order : (x > y) - (x < y);
}

static void write_heap(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  dmd_heapsum_t sum = dmd_heapsum_of(profile);
  dmd_answer_key_sum(j, "heap", sum.all.bytes, sum.all.blocks);
  if (profile->mode != DMD_MODE_DARK_MATTER)
    return;
  dmd_jsonout_key(j, "sections");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  for (int section = DMD_SECTION_TWICE; section <= DMD_SECTION_ONCE; section++)
    dmd_answer_key_sum(j, dmd_section_name(section), sum.section[section].bytes,
                       sum.section[section].blocks);
  dmd_jsonout_end(j);
}

static void write_dump(dmd_jsonout_t *j, const series_t *series, uint32_t file) {
  const dmd_profile_t *profile = profile_at(series, file);
  const dmd_run_t *run = &profile->run;
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "of", file);
  dmd_jsonout_key_str(j, "mode", dmd_mode_name(profile->mode));
  if (run->label != NULL)
    dmd_jsonout_key_str(j, "label", run->label);
  if (run->dump_number > 0)
    dmd_jsonout_key_u64(j, "n", run->dump_number);
  if (run->time != NULL)
    dmd_jsonout_key_str(j, "time", run->time);
  write_heap(j, profile);
  if (profile->memory.resident != DMD_MEMORY_UNKNOWN)
    dmd_jsonout_key_u64(j, "resident", profile->memory.resident);
  dmd_jsonout_end(j);
}

static void write_series(dmd_jsonout_t *j, const series_t *series, const uint32_t *order,
                         uint32_t n) {
  for (uint32_t i = 0; i < n;) {
    const char *name = series->names[order[i]];
    dmd_jsonout_object(j, DMD_JSONOUT_LINES);
    dmd_jsonout_key_str(j, "name", name);
    dmd_jsonout_key(j, "dumps");
    dmd_jsonout_array(j, DMD_JSONOUT_LINES);
    for (; i < n && dmd_str_equal(series->names[order[i]], name); i++)
      write_dump(j, series, order[i]);
    dmd_jsonout_end(j);
    dmd_jsonout_end(j);
  }
}

/* Whether all profiles open with their peaks. */
static bool open_with_peak(const dmd_session_t *page) {
  bool all = true;
  for (uint32_t i = 0; i < dmd_session_n_files(page); i++) {
    const dmd_session_file_t *file = dmd_session_file(page, i);
    all &= file->opens_peak || file->reports != NULL || file->kept != DMD_NONE;
  }
  return all;
}

bool dmd_ask_series(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  static const dmd_moment_choice_t moments[] = {DMD_MOMENT_END, DMD_MOMENT_PEAK, DMD_MOMENT_RECENT};
  dmd_moment_choice_t moment = moments[dmd_query_number(query, "peak", 0, 2, open_with_peak(page))];
  if (query->failed)
    return false;
  uint32_t n_files = dmd_session_n_files(page), n = 0;
  series_t series = {page, NULL};
  uint32_t *order =
      dmd_env_alloc(page->env, "dmd.page.series", ((size_t)n_files + 1) * sizeof *order);
  series.names =
      dmd_env_alloc(page->env, "dmd.page.series", ((size_t)n_files + 1) * sizeof *series.names);
  for (uint32_t i = 0; i < n_files; i++) {
    dmd_session_show(dmd_session_file(page, i), moment);
    series.names[i] = dmd_process_name(profile_at(&series, i));
    if (dmd_session_file(page, i)->reports == NULL && dmd_session_file(page, i)->kept == DMD_NONE)
      order[n++] = i;
  }
  dmd_sort(page->env, order, n, compare_files, &series);
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_jsonout_key(&j, "processes");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  write_series(&j, &series, order, n);
  dmd_jsonout_end(&j);
  dmd_jsonout_end(&j);
  for (uint32_t i = 0; i < n_files; i++)
    dmd_env_free(page->env, series.names[i]);
  dmd_env_free(page->env, series.names);
  dmd_env_free(page->env, order);
  return true;
}
