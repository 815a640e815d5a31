/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/lostprofile.h"

#include "model/profile/translate.h"

void dmd_leaks_add_lost(dmd_profile_t *profile, const dmd_leaks_t *leaks) {
  const dmd_heapgraph_t *graph = leaks->graph;
  dmd_translation_t ids;
  dmd_translation_init_profile(&ids, profile, &graph->profile, NULL, NULL);
  for (uint32_t node = dmd_heapgraph_first_block(graph); node < graph->graph.n_nodes; node++) {
    const dmd_graph_block_t *block = dmd_heapgraph_block(graph, node);
    if (!dmd_leak_is_lost(dmd_leak_state(leaks, node)))
      continue;
    dmd_group_t group = {.req = dmd_heapgraph_requested(graph, node),
                         .num = 1,
                         .stack = dmd_heapgraph_profile_stack(graph, block->stack)};
    group = dmd_translation_group(&ids, &group);
    dmd_groups_add(&profile->groups, &group);
  }
  dmd_translation_destroy(&ids);
}
