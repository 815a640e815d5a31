/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/graph/typedgraph.h"

#include "analyse/graph/liveparts.h"
#include "dmdv/commandline/namer.h"
#include "dmdv/input/scanfile.h"
#include "host/process.h"

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
  if (!(options->or_scan ? dmdv_load_graph_or_scan : dmdv_load_graph)(&graph->heap, name, &load,
                                                                      fail)) {
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
