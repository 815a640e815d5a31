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

#include "base/strbuf.h"
#include "dmdv/graph/typedgraph.h"
#include "model/profile/profile.h"

/* name: of the file that the profile was read from. Does nothing for a run without --claim-fn.
 * json: gets what dmdv claims --json writes, unless nothing was claimed; NULL: it is not wanted.
 * Cost: that of reading all graphs of the run. */
void dmdv_add_claim_faults(dmd_profile_t *profile, const char *name, dmd_strbuf_t *json);

/* What dmdv claims --json writes about one graph; nothing if it has no claims. */
void dmdv_claims_of_graph(dmdv_typedgraph_t *graph, dmd_strbuf_t *json);

#endif
