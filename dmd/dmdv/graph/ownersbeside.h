/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ownersbeside.h: finds the owners of a profile's unreported blocks in the heap graph beside it.
 */
#ifndef DMD_DMDV_GRAPH_OWNERSBESIDE_H
#define DMD_DMDV_GRAPH_OWNERSBESIDE_H

#include "dmdv/graph/typedgraph.h"
#include "show/text/text_graph.h"

/* Names variables from the debug information of a graph, which it must not outlive. */
dmd_variable_namer_t dmdv_variable_namer(const dmdv_typedgraph_t *graph);

typedef struct dmdv_owners_beside {
  bool is_there;
  dmdv_typedgraph_t graph;
  dmd_kinds_t kinds;
  dmd_records_t records;
  dmd_owners_t owners;
  dmd_variable_namer_t namer;
  dmd_owners_view_t view;
  dmd_owner_hint_t advice;
} dmdv_owners_beside_t;

/* Whether finding them takes at most about a second: the profile has unreported blocks, and at most
 * 200,000 blocks, and the file of the graph has at most 8 MiB. If only the graph is too large, a
 * note says which commands read it. Reads nothing. */
bool dmdv_owners_take_little(const dmd_profile_t *profile, const char *name);

/* Looks for the graph of the same moment beside the profile that was read from this file. If there
 * is no graph, or it cannot be read, there are no owners. The struct must not move. */
void dmdv_owners_beside_init(dmdv_owners_beside_t *beside, const dmd_profile_t *profile,
                             const char *name, uint32_t max_frames);
void dmdv_owners_beside_destroy(dmdv_owners_beside_t *beside);

#endif
