/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * owners.h: finds which reporter should have measured the unreported blocks, and through which
 * member.
 *
 * The owner of an unreported block is the nearest reported block above it in the dominator tree:
 * its reporter had the only path to the unreported one. There may be unreported blocks in between;
 * the topmost of them is what the owner, or a reported block that it dominates, points to. If no
 * reported block dominates it, one may still point to its start, which is weaker evidence.
 *
 * Blocks of one unreported record with equal ownership are added up; for each record the ownership
 * with the most bytes is selected, dominance before a mere pointer.
 *
 * Memory while it runs: 29 bytes a node, plus that of dominators.h. No recursion.
 */
#ifndef DMD_ANALYSE_GRAPH_OWNERS_H
#define DMD_ANALYSE_GRAPH_OWNERS_H

#include "analyse/graph/kinds.h"
#include "analyse/records/record.h"

typedef enum {
  DMD_OWNED_BY_DOMINANCE, /* a reported block dominates them */
  DMD_OWNED_BY_POINTER,   /* a reported block only points to them */
  DMD_OWNED_BY_ROOT,    /* no reported block does either, but the variable or stack `root` dominates
                           them or, if only ignored edges lead to them, is the nearest root */
  DMD_OWNED_BY_SEVERAL, /* no single root dominates them */
  DMD_POSSIBLY_LOST, /* only ignored edges lead to them, and all paths have an edge into the middle
                        of a block (leaks.h); the nearest root is `root` */
  DMD_LOST           /* no root reaches them */
} dmd_owned_t;

typedef struct dmd_ownership {
  uint32_t owned;    /* a dmd_owned_t */
  uint32_t cut;      /* the record's cut allocation stack */
  uint32_t reporter; /* a name of the profile; DMD_NONE: reported outside of any reporter */
  uint32_t stack;    /* of the profile: where the owner was reported */
  uint32_t kind;    /* of the block that points to them or to their topmost block; or of the root */
  uint32_t way;     /* label of that edge; DMD_NONE: several edges */
  uint32_t through; /* kind of the topmost unreported block above them; DMD_NONE: they are topmost
                       themselves */
  /* One example. */
  uint32_t referrer; /* the node with the pointer */
  uint32_t edge;     /* its edge, if `way` is set */
  uint32_t block;
  uint32_t above, above_edge; /* the pointer to the referrer; DMD_GRAPH_ALL: several, or none */
  uint64_t blocks, bytes;     /* usable bytes */
} dmd_ownership_t;

typedef struct dmd_owners {
  const dmd_heapgraph_t *graph;
  dmd_kinds_t *kinds;
  const dmd_records_t *records;
  dmd_pool_t pool; /* of dmd_ownership_t */
  dmd_table_t index;
  uint32_t *best; /* by cut stack: an id of the pool; DMD_NONE: no unreported blocks */
} dmd_owners_t;

/* Adds the graph's blocks as groups to its profile, which must be without groups, so that it has
 * records. picks: by node, which blocks; NULL: all. */
void dmd_heapgraph_add_groups(dmd_heapgraph_t *graph, const bool *picks);

/* records: those of the graph's profile, with the same blocks. Temporarily takes edges out of the
 * graph. Must not move. */
void dmd_owners_init(dmd_owners_t *owners, dmd_heapgraph_t *graph, dmd_kinds_t *kinds,
                     const dmd_records_t *records, const bool *picks);
void dmd_owners_destroy(dmd_owners_t *owners);

/* The ownership of the blocks of an unreported record; NULL if the graph has no such blocks. */
static inline const dmd_ownership_t *dmd_owners_of(const dmd_owners_t *owners,
                                                   const dmd_record_t *record) {
  uint32_t id = owners->best[record->stack];
  return id == DMD_NONE ? NULL : DMD_POOL_AT(&owners->pool, const dmd_ownership_t, id);
}

#endif
