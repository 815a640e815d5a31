/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * slots.h: the pointers of a model's structs, and where they lie in values of a program's types.
 *
 * A slot is one level of one member: of `char **names` the member itself is the first, what lies in
 * the block that it leads to the second. A struct within another, without words of its own, gives
 * its members to that one (derive/model.h).
 *
 * A type of the debug information and a record of the headers are the same if they have the same
 * name and size. Where such a type is part of another one, the slots lie there, too.
 *
 * Concurrency: nothing locks; types may be read meanwhile (graph/types.h).
 */
#ifndef DMD_DERIVE_SUGGEST_SLOTS_H
#define DMD_DERIVE_SUGGEST_SLOTS_H

#include "base/pool.h"
#include "derive/model.h"
#include "graph/types.h"

typedef struct dmd_derive_slot {
  const dmd_derive_record_t *record;
  const dmd_derive_member_t *member;
  const dmd_derive_type_t *pointer;
  uint64_t offset; /* level 0: in the record; of the first, where there are several */
  uint64_t n;      /* pointers in a row there; 0: as many as there is room for */
  unsigned level;
  bool has_next; /* the slot of the next level has the next id */
  bool in_union;
} dmd_derive_slot_t;

/* Where a slot lies in a value of a type. */
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

/* The places of the first level in a value of this type: *n of places, from the result on. */
uint32_t dmd_derive_places(dmd_derive_slots_t *slots, uint32_t type, uint32_t *n);

/* The slot of a pointer so many bytes into a value of this type, to a block of a type, DMD_NONE
 * where that is unknown, and so many bytes: of several members of a union the first that may point
 * to such a block, or the first. DMD_NONE: it is in none. */
typedef struct dmd_derive_pointed {
  uint32_t type;
  uint64_t szB;
} dmd_derive_pointed_t;
uint32_t dmd_derive_slot_at(dmd_derive_slots_t *slots, uint32_t type, uint64_t offset,
                            dmd_derive_pointed_t to);

#endif
