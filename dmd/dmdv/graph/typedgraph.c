/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/graph/typedgraph.h"

#include "analyse/graph/scangraph.h"
#include "analyse/graph/stale.h"
#include "dmdv/commandline/recordoptions.h"
#include "dmdv/input/profilefile.h"
#include "files/graph/graphwriter.h"
#include "host/process.h"

/* Loads a heap graph from a graph file or from a profile of mode scan. */

static bool make_graph(dmd_heapgraph_t *graph, const dmd_profile_t *profile, dmd_fail_t *fail) {
  dmd_strbuf_t why;
  if (profile->mode != DMD_MODE_SCAN)
    return dmd_fail(fail,
                    "is a profile of mode %s: only a scan (--mode=scan) and a heap graph "
                    "(--graph=yes) contain pointers",
                    dmd_mode_name(profile->mode));
  dmd_strbuf_init(&why, &dmdv_env);
  bool good = dmd_scangraph_init(graph, &dmdv_env, profile, &why);
  if (!good)
    dmd_fail(fail, "%s", why.text);
  dmd_strbuf_destroy(&why);
  return good;
}

static bool load_scan(dmd_heapgraph_t *graph, dmdv_input_t *input,
                      const dmd_load_graph_options_t *options, dmd_fail_t *fail) {
  dmd_load_options_t load = {
      .contents = true, .frame_view = options->frame_view, .namer = options->namer};
  dmd_profile_t profile;
  dmd_profile_init(&profile, &dmdv_env);
  bool good = dmdv_load_input(&profile, input, &load, fail) && make_graph(graph, &profile, fail);
  dmd_profile_destroy(&profile);
  return good;
}

/* Makes a graph, uninitialised so far, from the file with this name ("-": standard input). False,
 * with *fail filled in and nothing to destroy, if that fails. */
static bool load_graph_or_scan(dmd_heapgraph_t *graph, const char *name,
                               const dmd_load_graph_options_t *options, dmd_fail_t *fail) {
  const char *bytes;
  size_t n;
  dmdv_input_t *input = dmdv_input_open(name, fail);
  if (input == NULL)
    return false;
  bool good = dmdv_input_keep(input, fail) && dmdv_input_peek(input, &bytes, &n, fail);
  if (good)
    good = dmd_graphwriter_is(bytes, n) ? dmdv_load_graph_input(graph, input, options, fail)
                                        : load_scan(graph, input, options, fail);
  dmdv_input_close(input);
  return good;
}

/* dmd_data_cutter_t.add_object */
static void add_object(void *ctx, uint32_t id, const dmd_graph_object_t *object) {
  dmdv_typefinder_add_object(ctx, id, object);
}

/* dmd_data_cutter_t.part */
static dmd_cut_part_t part(void *ctx, const dmd_uncut_t *rest) {
  dmd_cut_part_t part;
  part.szB = dmdv_typefinder_part(ctx, rest, &part.name);
  return part;
}

static void free_types(dmdv_typedgraph_t *graph) {
  if (graph->finder != NULL)
    dmdv_typefinder_free(graph->finder);
  dmd_types_destroy(&graph->types);
}

bool dmdv_typedgraph_open(dmdv_typedgraph_t *graph, const char *name,
                          const dmdv_typedgraph_options_t *options, dmd_fail_t *fail) {
  dmd_types_init(&graph->types, &dmdv_env, sizeof(uint64_t));
  graph->finder =
      options->with_types ? dmdv_typefinder_new(&graph->types, options->debug_dir) : NULL;
  dmd_data_cutter_t cutter = {.ctx = graph->finder, .add_object = add_object, .part = part};
  dmd_load_graph_options_t load = {.cutter = graph->finder == NULL ? NULL : &cutter,
                                   .frame_view = options->frame_view,
                                   .namer = dmdv_namer(),
                                   .is_wanted = options->is_wanted,
                                   .ctx = options->ctx};
  if (!(options->or_scan ? load_graph_or_scan : dmdv_load_graph)(&graph->heap, name, &load, fail)) {
    free_types(graph);
    return false;
  }
  dmd_typing_init(&graph->typing, &graph->heap, &graph->types);
  if (options->with_types && graph->heap.objects.last > 0)
    dmdv_typefinder_run(graph->finder, &graph->typing);
  dmd_liveparts_find(&graph->typing);
  return true;
}

void dmdv_typedgraph_close(dmdv_typedgraph_t *graph) {
  dmd_typing_destroy(&graph->typing);
  dmd_heapgraph_destroy(&graph->heap);
  free_types(graph);
}
