/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * evidence.h: where the pointers of a model's structs lead in a heap graph, and the other referrers
 * to the blocks there.
 *
 * Stacks, registers and memory of unknown use may have stale pointers, so they count as referrers
 * only if they are variables of a known type. Doubtful pointers (dmd_typing_doubts) do not count.
 *
 * Time: linear in the edges, after dominators. Memory: 28 bytes per node, 4 per edge, and 4 per
 * pair of slots.
 */
#ifndef DMD_DERIVE_SUGGEST_EVIDENCE_H
#define DMD_DERIVE_SUGGEST_EVIDENCE_H

#include "analyse/graph/typing.h"
#include "base/pool.h"
#include "derive/model.h"
#include "model/graph/types.h"

/* ---- Slots. ----
 *
 * The pointers of a model's structs, and their places in values of a program's types.
 *
 * A slot is one level of one member: for `char **names`, the member itself is the first slot, and
 * the pointers in the block that it leads to are the second. The members of an inner struct without
 * words of its own count as the outer struct's (derive/model.h).
 *
 * A type in debug information and a record in the headers are the same if name and size are. If
 * such a type is part of another one, that one has the slots, too.
 *
 * Not thread-safe: calls may read further types (model/graph/types.h). */

typedef struct dmd_derive_slot {
  const dmd_derive_record_t *record;
  const dmd_derive_member_t *member;
  const dmd_derive_type_t *pointer;
  uint64_t offset; /* level 0: in the record, of the first pointer */
  uint64_t n;      /* number of adjacent pointers; 0: as many as fit */
  unsigned level;
  bool has_next; /* the slot of the next level has the next id */
  bool in_union;
} dmd_derive_slot_t;

/* The place of a slot in a value of a type. */
typedef struct dmd_derive_slot_place {
  uint64_t offset;
  uint32_t slot;
} dmd_derive_slot_place_t;

typedef struct dmd_derive_slots {
  const dmd_derive_model_t *model;
  dmd_types_t *types;
  dmd_pool_t slots;   /* dmd_derive_slot_t, in the order of the headers */
  dmd_pool_t places;  /* dmd_derive_slot_place_t */
  dmd_pool_t layouts; /* by type */
} dmd_derive_slots_t;

/* Model and types must outlive the slots. */
void dmd_derive_slots_init(dmd_derive_slots_t *slots, const dmd_derive_model_t *model,
                           dmd_types_t *types);
void dmd_derive_slots_destroy(dmd_derive_slots_t *slots);

static inline const dmd_derive_slot_t *dmd_derive_slot(const dmd_derive_slots_t *slots,
                                                       uint32_t id) {
  return DMD_POOL_AT(&slots->slots, const dmd_derive_slot_t, id);
}

/* ---- Evidence. ---- */

/* Evidence for a slot. */
typedef struct dmd_derive_seen {
  uint64_t n_places;            /* places where such a pointer is or could be */
  uint64_t n_pointers;          /* pointers to a block; the others are NULL or lead elsewhere */
  uint64_t n_inside;            /* of these: to the middle of a block */
  uint64_t n_alone;             /* to a block without other referrers */
  uint64_t n_again;             /* to a block that another pointer of this slot leads to, too */
  uint64_t n_back;              /* to a block that dominates its own: its owner */
  uint64_t n_leading;           /* to a block that contains pointers */
  uint64_t n_elsewhere;         /* to a block with a referrer that is not a slot */
  uint64_t least_szB, most_szB; /* requested bytes of the blocks */
} dmd_derive_seen_t;

typedef struct dmd_derive_evidence {
  const dmd_env_t *env;
  uint32_t n_slots;
  dmd_derive_seen_t *seen; /* by slot */
  uint32_t *rivals;        /* by pair of slots: blocks that both lead to */
} dmd_derive_evidence_t;

/* graph: must be the typing's. */
void dmd_derive_evidence_init(dmd_derive_evidence_t *evidence, dmd_derive_slots_t *slots,
                              dmd_typing_t *typing, dmd_heapgraph_t *graph);
void dmd_derive_evidence_destroy(dmd_derive_evidence_t *evidence);

static inline const dmd_derive_seen_t *dmd_derive_seen(const dmd_derive_evidence_t *evidence,
                                                       uint32_t slot) {
  return &evidence->seen[slot];
}

/* The number of blocks of the first slot that the second one leads to, too. */
static inline uint32_t dmd_derive_rivals(const dmd_derive_evidence_t *evidence, uint32_t slot,
                                         uint32_t other) {
  return evidence->rivals[(size_t)slot * (evidence->n_slots + 1) + other];
}

#endif
