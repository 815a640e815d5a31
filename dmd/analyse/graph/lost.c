/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/lost.h"

#include "base/sort.h"

void dmd_lost_init(dmd_lost_t *lost, const dmd_heapgraph_t *graph) {
  lost->env = graph->env;
  lost->nodes = dmd_leaks_starts(graph, &lost->n);
}

void dmd_lost_destroy(dmd_lost_t *lost) {
  dmd_env_free(lost->env, lost->nodes);
}

bool dmd_lost_has(const dmd_lost_t *lost, uint32_t node) {
  uint32_t place;
  DMD_SEARCH(place, 0, lost->n, lost->nodes[place] < node);
  return place < lost->n && lost->nodes[place] == node;
}
