/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * evidence.h: where the pointers of a model's structs lead in a heap graph, and who else holds what
 * is there.
 *
 * What stacks, registers and memory of unknown use hold is no holder unless it is a variable of a
 * known type, since a pointer may be left there from long ago; nor are pointers that may be none
 * (dmd_typing_doubts).
 *
 * Time in proportion to the edges, after dominators; memory: 28 bytes a node, 4 an edge, and 4 for
 * each pair of slots.
 */
#ifndef DMD_DERIVE_SUGGEST_EVIDENCE_H
#define DMD_DERIVE_SUGGEST_EVIDENCE_H

#include "derive/suggest/slots.h"
#include "graph/typing.h"

/* What was seen of a slot. */
typedef struct dmd_derive_seen {
  uint64_t n_places;            /* where such a pointer is, or could be */
  uint64_t n_pointers;          /* that lead to a block; the others are NULL, or lead elsewhere */
  uint64_t n_inside;            /* of these, to the middle of it */
  uint64_t n_alone;             /* to a block that nothing else holds */
  uint64_t n_again;             /* to a block that another pointer of this slot holds, too */
  uint64_t n_back;              /* to a block without which its own would not be held: its owner */
  uint64_t n_leading;           /* to a block with pointers in it */
  uint64_t n_elsewhere;         /* to a block that something held which is in no slot */
  uint64_t least_szB, most_szB; /* requested bytes of the blocks */
} dmd_derive_seen_t;

typedef struct dmd_derive_evidence {
  const dmd_env_t *env;
  uint32_t n_slots;
  dmd_derive_seen_t *seen; /* by slot */
  uint32_t *rivals;        /* by two slots: blocks that pointers of both lead to */
} dmd_derive_evidence_t;

/* graph: the typing's. */
void dmd_derive_evidence_init(dmd_derive_evidence_t *evidence, dmd_derive_slots_t *slots,
                              dmd_typing_t *typing, dmd_heapgraph_t *graph);
void dmd_derive_evidence_destroy(dmd_derive_evidence_t *evidence);

static inline const dmd_derive_seen_t *dmd_derive_seen(const dmd_derive_evidence_t *evidence,
                                                       uint32_t slot) {
  return &evidence->seen[slot];
}

/* How many blocks the first slot leads to that the second one leads to, too. */
static inline uint32_t dmd_derive_rivals(const dmd_derive_evidence_t *evidence, uint32_t slot,
                                         uint32_t other) {
  return evidence->rivals[(size_t)slot * (evidence->n_slots + 1) + other];
}

#endif
