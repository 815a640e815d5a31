/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * claimsets.h: sums of the live blocks that a function without an argument says it counts
 * (--claim-fn with tag= or alloc-fn=).
 *
 * A set is "tag:NAME", the blocks with this tag, or "alloc-fn:PATTERN", the blocks that have a
 * matching function on the stack that allocated them, inlined ones included. Blocks within blocks,
 * such as the chunks of a memory pool, count as any others.
 *
 * Cost: a walk over all blocks, unless none has come or gone since the last one. A program may ask
 * for its counter at each allocation, so walks are limited to a number of blocks, which grows with
 * the number of allocations and frees. A stack is compared with a pattern once.
 */
#ifndef DMD_RECORD_ENGINE_CLAIMSETS_H
#define DMD_RECORD_ENGINE_CLAIMSETS_H

#include "model/graph/heapgraph.h"
#include "record/host.h"

typedef struct dmd_claimsets {
  const dmd_env_t *env;
  const dmd_engine_host_t *host;
  dmd_live_t *live;
  dmd_pool_t sets;
  uint64_t n_visited; /* blocks, in all walks */
} dmd_claimsets_t;

/* All must stay in place until the sets are destroyed. */
void dmd_claimsets_init(dmd_claimsets_t *sets, const dmd_env_t *env, const dmd_engine_host_t *host,
                        dmd_live_t *live);
void dmd_claimsets_destroy(dmd_claimsets_t *sets);

/* Returns the number of a set, from 1 in the order of these calls. The text must stay valid. */
uint32_t dmd_claimsets_add(dmd_claimsets_t *sets, const char *text);

/* The sum of the set now. False if the limit is reached. */
bool dmd_claimsets_measure(dmd_claimsets_t *sets, uint32_t number, dmd_graph_sum_t *sum);

#endif
