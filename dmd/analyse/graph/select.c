/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/select.h"

#include "base/fnname.h"
#include "base/path.h"
#include "base/str.h"

#define UNREPORTED "unreported"

typedef struct {
  dmd_bitset_t *nodes;
  const dmd_kinds_t *kinds;
  const dmd_heapgraph_t *graph;
  const char *text;
  dmd_bitset_t named, stacks, sets; /* sets of ids: kinds, the profile's stacks, report sets */
  uint32_t n;
} work_t;

static void take(work_t *w, uint32_t node) {
  dmd_bitset_add(w->nodes, node);
  w->n++;
}

/* ---- Patterns. ---- */

/* "posting[]" and "char[] from label_new" also match "posting" and "char". */
static bool matches_name(const char *pattern, const char *name) {
  if (dmd_glob_matches(pattern, name))
    return true;
  for (size_t i = 0; name[i] != '\0'; i++)
    if (name[i] == '[' && name[i + 1] == ']')
      return dmd_glob_matches_n(pattern, name, i);
  return false;
}

static void judge_names(work_t *w) {
  for (uint32_t id = 1; id <= dmd_intern_count(&w->kinds->names); id++)
    if (matches_name(w->text, dmd_kinds_name(w->kinds, id)))
      dmd_bitset_add(&w->named, id);
}

static bool matches_function(const char *pattern, const char *function) {
  if (function == NULL)
    return false;
  dmd_fnname_t plain = dmd_fnname_plain(function, dmd_str_length(function));
  return dmd_glob_matches(pattern, function) || dmd_glob_matches_n(pattern, plain.at, plain.n);
}

static void judge_stacks(work_t *w) {
  const dmd_profile_t *profile = &w->graph->profile;
  dmd_bitset_t frames;
  dmd_bitset_init(&frames, w->graph->env, "dmd.select", dmd_frames_count(&profile->frames) + 1ul);
  for (uint32_t id = 1; id <= dmd_frames_count(&profile->frames); id++)
    if (matches_function(w->text, dmd_frames_location(&profile->frames, id).function))
      dmd_bitset_add(&frames, id);
  for (uint32_t stack = 1; stack <= dmd_intern_count(&profile->stacks); stack++) {
    size_t n;
    const uint32_t *of_stack = dmd_profile_frames(profile, stack, &n);
    for (size_t i = 0; i < n; i++)
      if (dmd_bitset_has(&frames, of_stack[i]))
        dmd_bitset_add(&w->stacks, stack);
  }
  dmd_bitset_destroy(&frames);
}

static void judge_sets(work_t *w) {
  const dmd_profile_t *profile = &w->graph->profile;
  for (uint32_t set = 1; set <= dmd_reports_count(&profile->reports); set++) {
    dmd_report_walk_t walk = dmd_reports_walk(&profile->reports, set);
    while (dmd_reports_next(&walk)) {
      const char *name = walk.report->reporter == DMD_NONE
                             ? NULL
                             : dmd_intern_get_str(&profile->names, walk.report->reporter);
      if (name != NULL && (dmd_path_is_within(name, w->text) || dmd_glob_matches(w->text, name)))
        dmd_bitset_add(&w->sets, set);
    }
  }
}

static bool is_meant(const work_t *w, uint32_t node) {
  if (dmd_bitset_has(&w->named, w->kinds->of[node]))
    return true;
  if (!dmd_heapgraph_is_block(w->graph, node))
    return false;
  const dmd_graph_block_t *block = dmd_heapgraph_block(w->graph, node);
  return dmd_bitset_has(&w->sets, block->reports) ||
         dmd_bitset_has(&w->stacks, dmd_heapgraph_profile_stack(w->graph, block->stack));
}

static void take_matches(work_t *w) {
  const dmd_profile_t *profile = &w->graph->profile;
  const dmd_env_t *env = w->graph->env;
  dmd_bitset_init(&w->named, env, "dmd.select", dmd_intern_count(&w->kinds->names) + 1ul);
  dmd_bitset_init(&w->stacks, env, "dmd.select", dmd_intern_count(&profile->stacks) + 1ul);
  dmd_bitset_init(&w->sets, env, "dmd.select", dmd_reports_count(&profile->reports) + 1ul);
  judge_names(w);
  judge_stacks(w);
  judge_sets(w);
  for (uint32_t node = 1; node < w->graph->graph.n_nodes; node++)
    if (is_meant(w, node))
      take(w, node);
  dmd_bitset_destroy(&w->sets);
  dmd_bitset_destroy(&w->stacks);
  dmd_bitset_destroy(&w->named);
}

/* ---- Addresses and records. ---- */

/* cut: the record's stack; DMD_NONE: any. */
static void take_unreported(work_t *w, const dmd_records_t *records, uint32_t cut) {
  for (uint32_t node = dmd_heapgraph_first_block(w->graph); node < w->graph->graph.n_nodes;
       node++) {
    const dmd_graph_block_t *block = dmd_heapgraph_block(w->graph, node);
    uint32_t stack = dmd_heapgraph_profile_stack(w->graph, block->stack);
    if (block->reports == DMD_NONE && (cut == DMD_NONE || records->cut[stack] == cut))
      take(w, node);
  }
}

static const char *take_record(work_t *w, const dmd_records_t *records, const char *digits) {
  const dmd_section_records_t *section = &records->section[DMD_SECTION_UNREPORTED];
  uint64_t number;
  if (!dmd_str_to_u64(digits, 10, &number) || number == 0)
    return "this is not a record number; records count from 1, as in unreported:1";
  if (number > section->n)
    return "there are fewer unreported records";
  take_unreported(w, records, dmd_records_at(records, section->ids[number - 1])->stack);
  return NULL;
}

static const char *take_address(work_t *w, const char *digits) {
  uint64_t addr;
  if (!dmd_str_to_u64(digits, 16, &addr))
    return "this is not an address";
  uint32_t node = dmd_heapgraph_find(w->graph, addr);
  if (node == DMD_GRAPH_ALL)
    return "there is no block at this address";
  take(w, node);
  return NULL;
}

uint32_t dmd_select(dmd_bitset_t *nodes, const dmd_kinds_t *kinds, const dmd_records_t *records,
                    const char *text, const char **why) {
  work_t w = {.nodes = nodes, .kinds = kinds, .graph = kinds->typing->graph, .text = text};
  const size_t n = sizeof UNREPORTED - 1;
  *why = NULL;
  if (dmd_str_begins(text, "0x"))
    *why = take_address(&w, text + 2);
  else if (dmd_str_equal(text, UNREPORTED))
    take_unreported(&w, records, DMD_NONE);
  else if (dmd_str_begins(text, UNREPORTED ":"))
    *why = take_record(&w, records, text + n + 1);
  else
    take_matches(&w);
  return w.n;
}
