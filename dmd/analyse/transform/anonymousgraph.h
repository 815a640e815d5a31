/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * anonymousgraph.h: removes the program's own names from a heap graph
 * (analyse/transform/anonymize.h).
 *
 * Beyond what is replaced in profiles: names of types, members and variables become words, base
 * types such as int keep theirs, and objects lose their build ids, by which they could be looked
 * up.
 */
#ifndef DMD_ANALYSE_TRANSFORM_ANONYMOUSGRAPH_H
#define DMD_ANALYSE_TRANSFORM_ANONYMOUSGRAPH_H

#include "analyse/transform/anonymize.h"
#include "model/graph/heapgraph.h"
#include "model/graph/types.h"

/* Changes both in place. Ids stay valid, except those of the graph's profile. That profile must
 * have no groups. Earlier results computed from either are invalid afterwards, and types keep only
 * the members looked up so far. */
void dmd_anonymize_graph(dmd_anonymizer_t *a, dmd_heapgraph_t *heap, dmd_types_t *types);

#endif
