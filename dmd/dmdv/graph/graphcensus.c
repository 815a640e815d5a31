/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/graph/graphcensus.h"

#include "host/process.h"
#include "show/text/text_graph.h"

typedef struct {
  const dmdv_graph_options_t *options;
  dmd_census_t census;
  int64_t heap_szB; /* of the graph, or of the new one, ignoring filters */
} counted_t;

/* Keeps only one graph at a time in memory. */
static bool count_file(counted_t *counted, dmdv_graph_options_t *o, const char *name, int sign) {
  dmdv_graph_t graph;
  if (!dmdv_graph_open(&graph, name, o))
    return false;
  dmd_nodefilters_forget(o->filters, o->n_filters);
  dmd_census_add(&counted->census, &graph.keys, o->filters, o->n_filters, sign);
  counted->heap_szB = dmd_nesting_heap_szB(&graph.typed.heap);
  dmdv_graph_close(&graph);
  return true;
}

static void print(void *ctx, dmd_out_t *out) {
  const counted_t *counted = ctx;
  if (counted->options->json)
    dmd_census_json(out, &counted->census);
  else
    dmd_census_print(out, &counted->census, counted->heap_szB, counted->options->max_rows);
}

bool dmdv_graph_census(dmdv_graph_options_t *o, const dmd_census_by_t *by) {
  counted_t counted = {.options = o};
  const dmdv_files_t *files = &o->files;
  dmd_census_init(&counted.census, &dmdv_env, by);
  bool good = files->n == 1 || count_file(&counted, o, files->names[0], -1);
  good = good && count_file(&counted, o, files->names[files->n - 1], 1);
  if (good) {
    dmd_census_finish(&counted.census);
    good = dmdv_graph_show(o, print, &counted);
  }
  dmd_census_destroy(&counted.census);
  return good;
}
