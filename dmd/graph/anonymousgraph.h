/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * anonymousgraph.h: a heap graph without the names that its program brought (analysis/anonymize.h).
 *
 * Besides what profiles have: types, members and variables get words for names, base types such as
 * int keep theirs, and objects lose their build ids, by which they could be looked up.
 */
#ifndef DMD_GRAPH_ANONYMOUSGRAPH_H
#define DMD_GRAPH_ANONYMOUSGRAPH_H

#include "analysis/anonymize.h"
#include "graph/heapgraph.h"
#include "graph/types.h"

/* Changes both where they are. All ids but those of the graph's profile stay. The graph's profile
 * must have no groups; what was computed of either before does not hold any more, and types have
 * the members only that were looked up so far. */
void dmd_anonymize_graph(dmd_anonymizer_t *a, dmd_heapgraph_t *heap, dmd_types_t *types);

#endif
