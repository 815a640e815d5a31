/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/suggest/pointers.h"

#include "base/str.h"

#define COST_CENTRE "dmd.derive.slots"

/* Elements of an array of structs within a value that are examined. */
enum { MAX_ELEMENTS = 256, POINTER_SZB = 8 };

typedef struct {
  bool is_made;
  uint32_t first, n; /* in `places` */
} layout_t;

/* ---- Headers ---- */

typedef struct {
  dmd_derive_slots_t *slots;
  const dmd_derive_record_t *record;
  uint64_t offset;
  bool in_union;
} within_t;

/* The target type of a pointer or of an array of pointers; *n: how many there are. */
static const dmd_derive_type_t *pointers_of(const dmd_derive_type_t *type, uint64_t *n) {
  for (*n = 1; type->kind == DMD_DERIVE_ARRAY; type = type->of)
    *n *= type->n;
  return type;
}

static void add_levels(const within_t *at, const dmd_derive_member_t *member,
                       const dmd_derive_type_t *pointer, uint64_t n) {
  dmd_pool_t *pool = &at->slots->slots;
  for (unsigned level = 0; pointer->kind == DMD_DERIVE_POINTER; level++) {
    uint64_t ignored;
    const dmd_derive_type_t *next = pointers_of(pointer->of, &ignored);
    uint32_t id = dmd_pool_add(pool);
    *DMD_POOL_AT(pool, dmd_derive_slot_t, id) =
        (dmd_derive_slot_t){.record = at->record,
                            .member = member,
                            .pointer = pointer,
                            .offset = at->offset + member->offset,
                            .n = level == 0 ? n : 0,
                            .level = level,
                            .has_next = next->kind == DMD_DERIVE_POINTER,
                            .in_union = at->in_union};
    pointer = next;
  }
}

static void add_members(const within_t *at, const dmd_derive_record_t *record) {
  for (const dmd_derive_member_t *member = record->members; member != NULL; member = member->next) {
    uint64_t n;
    const dmd_derive_type_t *type = pointers_of(member->type, &n);
    if (type->kind == DMD_DERIVE_POINTER)
      add_levels(at, member, type, n);
    else if (type->kind == DMD_DERIVE_RECORD && dmd_derive_is_inside(type->record) &&
             type == member->type)
      add_members(&(within_t){at->slots, at->record, at->offset + member->offset,
                              at->in_union || type->record->is_union},
                  type->record);
  }
}

static bool has_slots(const dmd_derive_record_t *record) {
  return record->is_wanted && record->is_complete && !dmd_derive_is_inside(record);
}

void dmd_derive_slots_init(dmd_derive_slots_t *slots, const dmd_derive_model_t *model,
                           dmd_types_t *types) {
  *slots = (dmd_derive_slots_t){.model = model, .types = types};
  dmd_pool_init(&slots->slots, model->env, COST_CENTRE, sizeof(dmd_derive_slot_t));
  dmd_pool_init(&slots->places, model->env, COST_CENTRE, sizeof(dmd_derive_slot_place_t));
  dmd_pool_init(&slots->layouts, model->env, COST_CENTRE, sizeof(layout_t));
  for (const dmd_derive_record_t *record = model->records; record != NULL; record = record->next)
    if (has_slots(record))
      add_members(&(within_t){slots, record, 0, record->is_union}, record);
}

void dmd_derive_slots_destroy(dmd_derive_slots_t *slots) {
  dmd_pool_destroy(&slots->layouts);
  dmd_pool_destroy(&slots->places);
  dmd_pool_destroy(&slots->slots);
}

/* ---- Debug information ---- */

static bool is_type_of(const dmd_derive_slots_t *slots, const dmd_type_t *type,
                       const dmd_derive_record_t *record) {
  return type->name != DMD_NONE && type->szB == record->szB &&
         dmd_str_equal(dmd_intern_get_str(&slots->types->names, type->name), record->name);
}

static void lay_out(dmd_derive_slots_t *slots, uint32_t type, uint64_t offset, unsigned depth);

static void lay_out_record(dmd_derive_slots_t *slots, uint32_t type, uint64_t offset,
                           unsigned depth) {
  const dmd_type_t at = *dmd_type_at(slots->types, type);
  for (uint32_t id = 1; id <= slots->slots.last; id++) {
    const dmd_derive_slot_t *slot = dmd_derive_slot(slots, id);
    if (slot->level == 0 && is_type_of(slots, &at, slot->record)) {
      uint32_t place = dmd_pool_add(&slots->places);
      *DMD_POOL_AT(&slots->places, dmd_derive_slot_place_t, place) =
          (dmd_derive_slot_place_t){offset + slot->offset, id};
    }
  }
  uint32_t n = dmd_types_n_members(slots->types, type);
  for (uint32_t i = 0; i < n; i++) {
    dmd_type_member_t member = *dmd_types_member(slots->types, type, i);
    lay_out(slots, member.type, offset + member.offset, depth);
  }
}

static void lay_out(dmd_derive_slots_t *slots, uint32_t type, uint64_t offset, unsigned depth) {
  if (type == DMD_NONE || depth == DMD_TYPES_MAX_DEPTH)
    return;
  const dmd_type_t at = *dmd_type_at(slots->types, type);
  if (at.kind == DMD_TYPE_STRUCT || at.kind == DMD_TYPE_UNION) {
    lay_out_record(slots, type, offset, depth + 1);
  } else if (at.kind == DMD_TYPE_ARRAY && dmd_type_has_size(slots->types, at.target)) {
    uint64_t element_szB = dmd_type_at(slots->types, at.target)->szB;
    uint64_t n = at.count < MAX_ELEMENTS ? at.count : MAX_ELEMENTS;
    for (uint64_t i = 0; i < n; i++)
      lay_out(slots, at.target, offset + i * element_szB, depth + 1);
  }
}

static const layout_t *layout_of(dmd_derive_slots_t *slots, uint32_t type) {
  while (slots->layouts.last < type) {
    uint32_t id = dmd_pool_add(&slots->layouts);
    *DMD_POOL_AT(&slots->layouts, layout_t, id) = (layout_t){0};
  }
  layout_t *layout = DMD_POOL_AT(&slots->layouts, layout_t, type);
  if (!layout->is_made) {
    layout->is_made = true;
    layout->first = slots->places.last + 1;
    lay_out(slots, type, 0, 0);
    layout->n = slots->places.last + 1 - layout->first;
  }
  return layout;
}

uint32_t dmd_derive_places(dmd_derive_slots_t *slots, uint32_t type, uint32_t *n) {
  const layout_t *layout = layout_of(slots, type);
  *n = layout->n;
  return layout->first;
}

static bool may_lead_to(const dmd_derive_slots_t *slots, const dmd_derive_slot_t *slot,
                        dmd_derive_pointed_t to) {
  const dmd_derive_type_t *of = slot->pointer->of;
  if (to.type == DMD_NONE || of->kind != DMD_DERIVE_RECORD)
    return of->szB > 0 && to.szB % of->szB == 0;
  return is_type_of(slots, dmd_type_at(slots->types, to.type), of->record);
}

uint32_t dmd_derive_slot_at(dmd_derive_slots_t *slots, uint32_t type, uint64_t offset,
                            dmd_derive_pointed_t to) {
  const layout_t *layout = layout_of(slots, type);
  uint32_t first = DMD_NONE;
  for (uint32_t i = 0; i < layout->n; i++) {
    const dmd_derive_slot_place_t *place =
        DMD_POOL_AT(&slots->places, const dmd_derive_slot_place_t, layout->first + i);
    const dmd_derive_slot_t *slot = dmd_derive_slot(slots, place->slot);
    uint64_t from = offset - place->offset;
    if (offset < place->offset || from % POINTER_SZB != 0 ||
        (slot->n > 0 && from / POINTER_SZB >= slot->n))
      continue;
    if (!slot->in_union || may_lead_to(slots, slot, to))
      return place->slot;
    first = first == DMD_NONE ? place->slot : first;
  }
  return first;
}
