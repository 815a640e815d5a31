/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * claimfaults.h: makes wrong sizes that functions returned (--claim-fn) faults of a profile.
 *
 * The claims are in the heap graphs of the run: those in the profile's folder whose names differ
 * from its own only in the dump's number, and that are of the same process. So all profiles of a
 * process share these faults.
 */
#ifndef DMD_DMDV_GRAPH_CLAIMFAULTS_H
#define DMD_DMDV_GRAPH_CLAIMFAULTS_H

#include "analyse/claims/claimcases.h"
#include "base/strbuf.h"
#include "dmdv/graph/graphcommand.h"
#include "dmdv/graph/typedgraph.h"
#include "model/profile/profile.h"

#include <glob.h>

/* The heap graphs of a run that have claims. */
typedef struct dmdv_claimgraphs {
  glob_t found; /* the first n: with claims of the profile's process */
  size_t n;
  int64_t szB; /* of their files */
} dmdv_claimgraphs_t;

/* name: of the file that the profile was read from. False for a run without --claim-fn: then
 * nothing is to be destroyed. Cost: that of opening each graph of the run. */
bool dmdv_claimgraphs_init(dmdv_claimgraphs_t *graphs, const dmd_profile_t *profile,
                           const char *name);
void dmdv_claimgraphs_destroy(dmdv_claimgraphs_t *graphs);

/* Adds the claims of all of them; from then on their stacks are the profile's. One graph at a time
 * is in memory. A graph that cannot be read is reported and skipped. */
void dmdv_claimgraphs_add(const dmdv_claimgraphs_t *graphs, dmd_claimcases_t *cases,
                          dmd_profile_t *profile);

/* Adds the claims of the heap graph in a file about objects that the options' filters match; `file`
 * is its number among the cases. From then on their stacks are those of `stacks`. False, after
 * reporting why, if it cannot be read. */
bool dmdv_claims_add_graph(dmd_claimcases_t *cases, dmd_profile_t *stacks, const char *name,
                           uint32_t file, dmdv_graph_options_t *options);

/* name: of the file that the profile was read from. Does nothing for a run without --claim-fn.
 * json: gets what dmdv claims --json writes, unless nothing was claimed; NULL: it is not wanted.
 * Cost: that of reading all graphs of the run. */
void dmdv_add_claim_faults(dmd_profile_t *profile, const char *name, dmd_strbuf_t *json);

/* What dmdv claims --json writes about one graph; nothing if it has no claims. */
void dmdv_claims_of_graph(dmdv_typedgraph_t *graph, dmd_strbuf_t *json);

#endif
