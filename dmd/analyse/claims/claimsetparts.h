/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * claimsetparts.h: makes cases of claims about sets of blocks: "tag:NAME", the blocks with a tag,
 * or "alloc-fn:PATTERN", those with a matching function on the stack that allocated them.
 *
 * The claim has the sum of the set. The graph shows what the set consists of, if no block of the
 * set has come or gone between the two: then it has the same sum. The first part of a case is the
 * whole set, the others are its blocks by kind; blocks without a type, by who allocated them: the
 * caller of the functions that match. Without such a graph the whole is the only part.
 *
 * Cost: for each set of a graph one walk over all blocks.
 */
#ifndef DMD_ANALYSE_CLAIMS_CLAIMSETPARTS_H
#define DMD_ANALYSE_CLAIMS_CLAIMSETPARTS_H

#include "analyse/claims/claimcases.h"
#include "analyse/graph/kinds.h"

typedef struct dmd_claimsetparts {
  dmd_claimcases_t *cases;
  const dmd_heapgraph_t *graph;
  dmd_kinds_t *kinds;
  dmd_pool_t sets; /* by claim_functions of the graph */
} dmd_claimsetparts_t;

void dmd_claimsetparts_init(dmd_claimsetparts_t *sets, dmd_claimcases_t *cases,
                            const dmd_heapgraph_t *graph, dmd_kinds_t *kinds);
void dmd_claimsetparts_destroy(dmd_claimsetparts_t *sets);

/* Adds the claim, which is about a set, to the cases. c: without sizes and parts. */
void dmd_claimsetparts_add(dmd_claimsetparts_t *sets, const dmd_graph_claim_t *claim,
                           dmd_claim_case_t *c);

#endif
