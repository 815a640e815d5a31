/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/graph/choose.h"

#include "analyse/graph/owners.h"
#include "analyse/graph/select.h"
#include "host/message.h"
#include "host/process.h"

#include <string.h>

/* Makes records only if the text is the number of a record. */
static uint32_t select_nodes(dmd_bitset_t *nodes, dmdv_graph_t *graph, uint32_t max_frames,
                             const char *text, const char **why) {
  dmd_records_t records;
  if (strchr(text, ':') != NULL)
    dmd_heapgraph_add_groups(&graph->typed.heap, NULL);
  dmd_records_init(&records, &graph->typed.heap.profile, max_frames, DMD_SORT_USABLE);
  uint32_t n = dmd_select(nodes, &graph->kinds, &records, text, why);
  dmd_records_destroy(&records);
  return n;
}

static void keep_picked(dmd_bitset_t *nodes, const bool *picks, bool all, uint32_t n) {
  dmd_bitset_t picked;
  dmd_bitset_init(&picked, &dmdv_env, "dmdv.choose", n);
  for (uint32_t node = 0; node < n; node++)
    if (picks[node] && (all || dmd_bitset_has(nodes, node)))
      dmd_bitset_add(&picked, node);
  dmd_bitset_destroy(nodes);
  *nodes = picked;
}

bool dmdv_choose(dmd_bitset_t *nodes, dmdv_graph_t *graph, dmdv_graph_options_t *options,
                 const char *option, const char *text) {
  uint32_t n = graph->typed.heap.graph.n_nodes;
  const char *why = NULL;
  dmd_bitset_init(nodes, &dmdv_env, "dmdv.choose", n);
  if (text != NULL && select_nodes(nodes, graph, options->max_frames, text, &why) == 0)
    return dmdv_error("--%s=%s: %s", option, text,
                      why != NULL ? why : "no type, function, reporter or variable matches");
  bool *picks = dmdv_graph_picks(graph, options);
  if (picks != NULL)
    keep_picked(nodes, picks, text == NULL, n);
  dmd_env_free(&dmdv_env, picks);
  return true;
}
