/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * owners.h: which reporter should have measured the unreported blocks, and through which member.
 *
 * The owner of an unreported block is the nearest block above it in the dominator tree that a
 * reporter reported: whoever measured that one had the only way to the other in hand. On the way
 * there may be unreported blocks; the topmost of them is what the owner, or a reported block that
 * it holds, points to. Where no such block dominates it, one that was reported may point to its
 * start all the same; that says less.
 *
 * A member that leads back, as `parent`, `prev` or `container` do, would make what a block belongs
 * to look as if it belonged to the block. Where nine tenths of the pointers of one way (kinds.h)
 * lead to a node that dominates their own, that way counts for nothing. So do edges that may be no
 * pointers (dmd_typing_doubts). What no root reaches is held where it begins (retained.h).
 *
 * Blocks of one unreported record that are owned in one way are added up; of each record the way of
 * most bytes is taken, an owner by dominance before one that only points.
 *
 * Memory while it runs: 24 bytes a node beside dominators.h's. Without recursion.
 */
#ifndef DMD_GRAPH_OWNERS_H
#define DMD_GRAPH_OWNERS_H

#include "analysis/record.h"
#include "graph/kinds.h"

typedef enum {
  DMD_OWNED_BY_DOMINANCE, /* a reported block dominates them */
  DMD_OWNED_BY_POINTER,   /* one only points to them */
  DMD_OWNED_BY_ROOT,      /* none does, but the variable or stack `root` dominates them */
  DMD_OWNED_BY_SEVERAL,   /* nor does one root */
  DMD_OWNED_BY_NOBODY     /* no root reaches them */
} dmd_owned_t;

typedef struct dmd_ownership {
  uint32_t owned;    /* a dmd_owned_t */
  uint32_t cut;      /* cut allocation stack of the record */
  uint32_t reporter; /* a name of the profile; DMD_NONE: a report outside of any */
  uint32_t stack;    /* of the profile: where the owner was reported */
  uint32_t kind;     /* of the block that points to them, or to what they hang on; or of the root */
  uint32_t way;      /* in which it does; DMD_NONE: in several */
  uint32_t through;  /* kind of the unreported block that they hang on; DMD_NONE: none */
  /* An example. */
  uint32_t holder; /* the node that points */
  uint32_t edge;   /* its edge, where there is a way */
  uint32_t block;
  uint32_t above, above_edge; /* what points to the holder; DMD_GRAPH_ALL: several do, or nothing */
  uint64_t blocks, bytes;     /* usable */
} dmd_ownership_t;

typedef struct dmd_owners {
  const dmd_heapgraph_t *graph;
  dmd_kinds_t *kinds;
  const dmd_records_t *records;
  dmd_pool_t pool; /* of dmd_ownership_t */
  dmd_table_t index;
  uint32_t *best; /* by cut stack: an id of the pool; DMD_NONE: no unreported block is from there */
} dmd_owners_t;

/* Adds the graph's blocks to its profile, which has none so far, as groups: so that it has records.
 * picks: by node, which of them; NULL: all. */
void dmd_heapgraph_add_groups(dmd_heapgraph_t *graph, const bool *picks);

/* Records of the graph's profile, of the same blocks. Takes edges out of the graph meanwhile, and
 * puts them back. Must stay where it is. */
void dmd_owners_init(dmd_owners_t *owners, dmd_heapgraph_t *graph, dmd_kinds_t *kinds,
                     const dmd_records_t *records, const bool *picks);
void dmd_owners_destroy(dmd_owners_t *owners);

/* How the blocks of an unreported record are owned; NULL: there are none in the graph. */
static inline const dmd_ownership_t *dmd_owners_of(const dmd_owners_t *owners,
                                                   const dmd_record_t *record) {
  uint32_t id = owners->best[record->stack];
  return id == DMD_NONE ? NULL : DMD_POOL_AT(&owners->pool, const dmd_ownership_t, id);
}

#endif
