/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/graph/graphbeside.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyse/graph/leaks.h"
#include "analyse/records/sums.h"
#include "dmdv/commandline/recordoptions.h"
#include "dmdv/graph/graphcommand.h"
#include "dmdv/input/profilefile.h"
#include "host/process.h"
#include "show/text/text_waste.h"
#include "show/text/text_waste_advice.h"

/* ---- Lost blocks. ---- */

void dmdv_lost_init(dmdv_lost_t *lost) {
  *lost = (dmdv_lost_t){.subject = {.profile = &lost->profile}};
  dmd_profile_init(&lost->profile, &dmdv_env);
}

void dmdv_lost_destroy(dmdv_lost_t *lost) {
  dmd_env_free(&dmdv_env, (void *)lost->subject.ignored_by);
  dmd_profile_destroy(&lost->profile);
}

static bool add_graph(dmdv_lost_t *lost, const char *name) {
  const dmd_load_graph_options_t load = {.frame_view = lost->profile.frame_view,
                                         .namer = dmdv_namer()};
  dmd_fail_t fail = {0};
  dmd_heapgraph_t graph;
  dmd_leaks_t leaks;
  if (!dmdv_load_graph(&graph, name, &load, &fail))
    return dmdv_error_in(name, &fail);
  dmd_leaks_init(&leaks, &graph, DMD_LEAKS_AS_MEMCHECK);
  dmd_leaks_add_lost(&lost->profile, &leaks);
  dmd_leaks_destroy(&leaks);
  dmd_heapgraph_destroy(&graph);
  return true;
}

static bool add_beside(dmdv_lost_t *lost, const char *profile) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  bool good = dmdv_graph_beside(&name, profile)
                  ? add_graph(lost, name.text)
                  : dmdv_error("%s: --max-leaked needs a heap graph; to record one: dmdv "
                               "run --graph=yes PROGRAM",
                               profile);
  dmd_strbuf_destroy(&name);
  return good;
}

bool dmdv_lost_find(dmdv_lost_t *lost, const dmdv_files_t *profiles, const dmd_frame_view_t *view,
                    dmd_ignore_t *ignore) {
  lost->profile.frame_view = *view;
  lost->profile.mode = DMD_MODE_DARK_MATTER;
  for (int i = 0; i < profiles->n; i++)
    if (!add_beside(lost, profiles->names[i]))
      return false;
  if (ignore->n > 0)
    lost->subject.ignored_by = dmd_ignore_apply(ignore, &lost->profile, true);
  return true;
}

/* ---- Waste. ---- */

static void add_findings(dmd_wasted_t *wasted, const dmd_waste_t *waste) {
  dmd_strbuf_t what, advice;
  dmd_strbuf_init(&what, &dmdv_env);
  dmd_strbuf_init(&advice, &dmdv_env);
  for (uint32_t i = 0; i < waste->n; i++) {
    const dmd_waste_finding_t *finding = dmd_waste_at(waste, i);
    dmd_strbuf_cut(&what, 0);
    dmd_strbuf_cut(&advice, 0);
    dmd_waste_what(&what, waste, finding, true);
    dmd_waste_advice(&advice, waste, finding);
    dmd_wasted_add(wasted, &(dmd_wasted_finding_t){
                               .kind = dmd_waste_kind_name((dmd_waste_kind_t)finding->kind),
                               .what = what.text,
                               .advice = advice.text,
                               .blocks = finding->blocks,
                               .bytes = finding->bytes,
                               .counted = finding->counted});
  }
  dmd_blocksum_add(&wasted->total, (dmd_blocksum_t){.bytes = (int64_t)waste->bytes,
                                                    .blocks = (int64_t)waste->blocks});
  dmd_strbuf_destroy(&advice);
  dmd_strbuf_destroy(&what);
}

/* By node, whether no pattern ignores its stack; NULL: there are no patterns. */
static bool *not_ignored(const dmd_heapgraph_t *graph, dmd_ignore_t *ignore) {
  if (ignore == NULL || ignore->n == 0)
    return NULL;
  uint32_t *ignored_by = dmd_ignore_stacks(ignore, &graph->profile);
  bool *picks = dmd_env_alloc(&dmdv_env, "dmdv.waste", graph->graph.n_nodes);
  for (uint32_t node = dmd_heapgraph_first_block(graph); node < graph->graph.n_nodes; node++)
    picks[node] =
        ignored_by[dmd_heapgraph_profile_stack(graph, dmd_heapgraph_block(graph, node)->stack)] ==
        0;
  dmd_env_free(&dmdv_env, ignored_by);
  return picks;
}

static void add_waste(dmd_wasted_t *wasted, dmdv_graph_t *graph, dmd_ignore_t *ignore,
                      uint32_t max_frames) {
  bool *picks = not_ignored(&graph->typed.heap, ignore);
  const dmd_waste_options_t options = {
      .kinds = ~0u, .least_szB = DMD_WASTE_LEAST_SZB, .picks = picks};
  dmd_records_t records;
  dmd_waste_t waste;
  dmd_records_init(&records, &graph->typed.heap.profile, max_frames, DMD_SORT_USABLE);
  dmd_waste_init(&waste, &graph->keys, &records, &options);
  add_findings(wasted, &waste);
  wasted->has_contents &= graph->typed.heap.has_contents;
  dmd_waste_destroy(&waste);
  dmd_records_destroy(&records);
  dmd_env_free(&dmdv_env, picks);
}

static bool add_waste_beside(dmd_wasted_t *wasted, const char *profile,
                             const dmdv_graph_options_t *options, dmd_ignore_t *ignore) {
  dmdv_graph_t graph;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  bool good = dmdv_graph_beside(&name, profile) ||
              dmdv_error("%s: --max-waste needs a heap graph; to record one: dmdv run "
                         "--graph=yes PROGRAM",
                         profile);
  good = good && dmdv_graph_open(&graph, name.text, options);
  if (good) {
    add_waste(wasted, &graph, ignore, options->max_frames);
    dmdv_graph_close(&graph);
  }
  dmd_strbuf_destroy(&name);
  return good;
}

bool dmdv_waste_find(dmd_wasted_t *wasted, const dmdv_files_t *profiles,
                     const dmd_frame_view_t *view, dmd_ignore_t *ignore, uint32_t max_frames) {
  const dmdv_graph_options_t options = {.max_frames = max_frames,
                                        .typed = {.with_types = true, .frame_view = *view}};
  for (int i = 0; i < profiles->n; i++)
    if (!add_waste_beside(wasted, profiles->names[i], &options, ignore))
      return false;
  return true;
}

bool dmdv_waste_beside(dmd_wasted_t *wasted, const dmd_profile_t *profile, const char *name) {
  enum { FRAMES = 8 };
  const dmdv_graph_options_t options = {
      .max_frames = FRAMES, .typed = {.with_types = true, .frame_view = profile->frame_view}};
  dmdv_graph_t graph;
  dmd_strbuf_t beside;
  dmd_strbuf_init(&beside, &dmdv_env);
  bool good = dmdv_graph_beside(&beside, name) && dmdv_graph_open(&graph, beside.text, &options);
  if (good) {
    const dmd_profile_t *its = &graph.typed.heap.profile;
    good = dmdv_is_of_same_moment(&profile->run, profile->mode, &its->run, its->mode);
    if (good)
      add_waste(wasted, &graph, NULL, FRAMES);
    dmdv_graph_close(&graph);
  }
  dmd_strbuf_destroy(&beside);
  return good;
}

/* ---- Owners. ---- */

static bool name_variable(void *ctx, uint32_t object, uint64_t addr, uint32_t type,
                          dmd_strbuf_t *to) {
  return ctx != NULL && dmdv_typefinder_variable(ctx, object, addr, type, to);
}

dmd_variable_namer_t dmdv_variable_namer(const dmdv_typedgraph_t *graph) {
  return (dmd_variable_namer_t){.name = name_variable, .ctx = graph->finder};
}

static bool open_graph(dmdv_typedgraph_t *graph, const dmd_profile_t *profile, const char *name,
                       const dmdv_beside_options_t *wanted) {
  dmd_fail_t fail = {0};
  dmdv_typedgraph_options_t options = {.with_types = wanted->with_types,
                                       .is_quiet = wanted->is_quiet,
                                       .frame_view = profile->frame_view};
  dmd_strbuf_t beside;
  dmd_strbuf_init(&beside, &dmdv_env);
  bool good = dmdv_graph_beside(&beside, name);
  if (good && !dmdv_typedgraph_open(graph, beside.text, &options, &fail))
    good = dmdv_error_in(beside.text, &fail);
  dmd_strbuf_destroy(&beside);
  return good;
}

/* ---- How much it takes. ---- */

/* The profile tells how many blocks its graph has. The size of the file limits what is read of a
 * graph of another moment. */
static const struct {
  int64_t n_blocks, file_szB;
} most[] = {[DMDV_BESIDE_PLAIN] = {3000000, 64 << 20},
            [DMDV_BESIDE_TYPED] = {1000000, 32 << 20},
            [DMDV_BESIDE_ALL] = {500000, 16 << 20}};

dmdv_beside_part_t dmdv_beside_part(const dmd_profile_t *profile, const char *name) {
  int64_t n_blocks = dmd_heapsum_of(profile).all.blocks;
  dmd_strbuf_t graph;
  struct stat status;
  dmd_strbuf_init(&graph, &dmdv_env);
  bool is_there = dmdv_graph_beside(&graph, name) && stat(graph.text, &status) == 0;
  dmd_strbuf_destroy(&graph);
  if (!is_there)
    return DMDV_BESIDE_NONE;
  for (int part = DMDV_BESIDE_ALL; part > DMDV_BESIDE_TOO_BIG; part--)
    if (n_blocks <= most[part].n_blocks && status.st_size <= most[part].file_szB)
      return (dmdv_beside_part_t)part;
  return DMDV_BESIDE_TOO_BIG;
}

bool dmdv_owners_take_little(const dmd_profile_t *profile, const char *name) {
  dmd_heapsum_t sum = dmd_heapsum_of(profile);
  if (profile->mode != DMD_MODE_DARK_MATTER || sum.section[DMD_SECTION_UNREPORTED].blocks == 0)
    return false;
  dmdv_beside_part_t part = dmdv_beside_part(profile, name);
  dmd_strbuf_t graph;
  dmd_strbuf_init(&graph, &dmdv_env);
  if (part != DMDV_BESIDE_NONE && part != DMDV_BESIDE_ALL && dmdv_graph_beside(&graph, name))
    dmdv_note("%s is large, so the owners of unreported blocks are left out: dmdv print "
              "--owners=yes, or dmdv owners %s, shows them",
              graph.text, graph.text);
  dmd_strbuf_destroy(&graph);
  return part == DMDV_BESIDE_ALL;
}

/* ---- The graph. ---- */

/* Only profiles of mode dark-matter have reports, and thus owners. */
static void find_owners(dmdv_beside_t *beside, uint32_t max_frames) {
  dmd_heapgraph_t *heap = &beside->graph.heap;
  dmd_heapgraph_add_groups(heap, NULL);
  dmd_records_init(&beside->records, &heap->profile, max_frames, DMD_SORT_USABLE);
  dmd_owners_init(&beside->owners, heap, &beside->kinds, &beside->records, NULL);
  beside->namer = dmdv_variable_namer(&beside->graph);
  beside->view = (dmd_owners_view_t){.owners = &beside->owners, .namer = &beside->namer};
  dmd_owner_hint_init(&beside->hint, &beside->view);
}

void dmdv_beside_init(dmdv_beside_t *beside, const dmd_profile_t *profile, const char *name,
                      const dmdv_beside_options_t *options) {
  dmd_heapgraph_t *heap = &beside->graph.heap;
  beside->has_owners = false;
  beside->is_there = open_graph(&beside->graph, profile, name, options);
  if (beside->is_there && !dmdv_is_of_same_moment(&profile->run, profile->mode, &heap->profile.run,
                                                  heap->profile.mode)) {
    dmdv_typedgraph_close(&beside->graph);
    beside->is_there = false;
  }
  if (!beside->is_there)
    return;
  beside->has_owners = options->with_owners && profile->mode == DMD_MODE_DARK_MATTER;
  dmd_kinds_init(&beside->kinds, &beside->graph.typing);
  if (beside->has_owners)
    find_owners(beside, options->max_frames);
  else
    dmd_records_init(&beside->records, &heap->profile, options->max_frames, DMD_SORT_USABLE);
}

void dmdv_beside_destroy(dmdv_beside_t *beside) {
  if (!beside->is_there)
    return;
  if (beside->has_owners) {
    dmd_owner_hint_destroy(&beside->hint);
    dmd_owners_destroy(&beside->owners);
  }
  dmd_records_destroy(&beside->records);
  dmd_kinds_destroy(&beside->kinds);
  dmdv_typedgraph_close(&beside->graph);
}
