/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/suggest/evidence.h"

#include "analyse/graph/dominators.h"
#include "analyse/graph/stale.h"
#include "base/bitset.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- Slots. ---- */

#define SLOTS_COST_CENTRE "dmd.derive.slots"

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
  dmd_pool_init(&slots->slots, model->env, SLOTS_COST_CENTRE, sizeof(dmd_derive_slot_t));
  dmd_pool_init(&slots->places, model->env, SLOTS_COST_CENTRE, sizeof(dmd_derive_slot_place_t));
  dmd_pool_init(&slots->layouts, model->env, SLOTS_COST_CENTRE, sizeof(layout_t));
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

/* The places of first-level slots in a value of this type: *n in `places`, starting at the
 * result. */
static uint32_t places_of(dmd_derive_slots_t *slots, uint32_t type, uint32_t *n) {
  const layout_t *layout = layout_of(slots, type);
  *n = layout->n;
  return layout->first;
}

/* A block that a pointer leads to; type: DMD_NONE if unknown. */
typedef struct {
  uint32_t type;
  uint64_t szB;
} pointed_t;

static bool may_lead_to(const dmd_derive_slots_t *slots, const dmd_derive_slot_t *slot,
                        pointed_t to) {
  const dmd_derive_type_t *of = slot->pointer->of;
  if (to.type == DMD_NONE || of->kind != DMD_DERIVE_RECORD)
    return of->szB > 0 && to.szB % of->szB == 0;
  return is_type_of(slots, dmd_type_at(slots->types, to.type), of->record);
}

/* The slot of a pointer at an offset in a value of this type that leads to a block of a type
 * (DMD_NONE: unknown) and size. In a union, the first member that may point to such a block, else
 * the first. DMD_NONE if the pointer is in no slot. */
static uint32_t slot_at(dmd_derive_slots_t *slots, uint32_t type, uint64_t offset, pointed_t to) {
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

/* ---- Evidence. ---- */

#define COST_CENTRE "dmd.derive.evidence"

enum { MAX_HOLDERS = 4 };

/* Flag of a referrer: several pointers of the slot lead there. */
#define AGAIN (UINT32_C(1) << 31)

typedef struct {
  dmd_derive_slots_t *slots;
  dmd_typing_t *typing;
  const dmd_heapgraph_t *heap;
  const dmd_graph_t *graph;
  dmd_derive_evidence_t *evidence;
  uint32_t *slot_of;      /* by edge; DMD_NONE: none */
  uint32_t *n_in;         /* by node: number of pointers to it */
  uint32_t *holders;      /* by node: up to MAX_HOLDERS slots with pointers to it */
  dmd_bitset_t elsewhere; /* by node: has referrers that are not slots */
} work_t;

static void *zeroed(const dmd_env_t *env, size_t n, size_t szB) {
  void *p = dmd_env_alloc(env, COST_CENTRE, (n + 1) * szB);
  dmd_mem_zero(p, (n + 1) * szB);
  return p;
}

static bool leads_to_start(const work_t *w, uint32_t edge) {
  return dmd_heapgraph_interior(w->heap, edge) == NULL;
}

static bool is_block(const work_t *w, uint32_t node) {
  return dmd_heapgraph_is_block(w->heap, node);
}

/* ---- Which slot an edge starts in ---- */

static void count_places(work_t *w, uint32_t type, uint64_t n_values) {
  uint32_t n, first = places_of(w->slots, type, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t slot = DMD_POOL_AT(&w->slots->places, const dmd_derive_slot_place_t, first + i)->slot;
    uint64_t in_row = dmd_derive_slot(w->slots, slot)->n;
    w->evidence->seen[slot].n_places += n_values * (in_row > 0 ? in_row : 1);
  }
}

static pointed_t pointed(const work_t *w, uint32_t to) {
  return (pointed_t){dmd_typing_type(w->typing, to),
                     is_block(w, to) ? dmd_heapgraph_requested(w->heap, to) : 0};
}

static void place_edges(work_t *w, uint32_t node) {
  uint32_t type = dmd_typing_type(w->typing, node);
  uint64_t n_values = dmd_typing_count(w->typing, node);
  if (!dmd_type_has_size(w->typing->types, type) || n_values == 0)
    return;
  uint64_t szB = dmd_type_at(w->typing->types, type)->szB, lead = w->typing->nodes[node].lead;
  count_places(w, type, n_values);
  for (uint32_t e = w->graph->first[node]; e < w->graph->first[node + 1]; e++) {
    uint64_t offset = w->graph->offset[e];
    if (offset < lead)
      continue;
    offset -= lead;
    w->slot_of[e] = slot_at(w->slots, type, n_values > 1 ? offset % szB : offset,
                            pointed(w, w->graph->target[e]));
  }
}

/* Pointers in blocks that a slot leads to belong to the slot's next level. */
static void place_next_level(work_t *w, unsigned level) {
  dmd_bitset_t done;
  dmd_bitset_init(&done, w->heap->env, COST_CENTRE, w->graph->n_nodes);
  for (uint32_t e = 0; e < dmd_graph_n_edges(w->graph); e++) {
    uint32_t slot = w->slot_of[e], to = w->graph->target[e];
    if (slot == DMD_NONE || !is_block(w, to) || dmd_bitset_has(&done, to) ||
        !leads_to_start(w, e) || dmd_derive_slot(w->slots, slot)->level != level ||
        !dmd_derive_slot(w->slots, slot)->has_next)
      continue;
    dmd_bitset_add(&done, to);
    w->evidence->seen[slot + 1].n_places += dmd_heapgraph_requested(w->heap, to) / POINTER_SZB;
    for (uint32_t i = w->graph->first[to]; i < w->graph->first[to + 1]; i++)
      if (w->slot_of[i] == DMD_NONE)
        w->slot_of[i] = slot + 1;
  }
  dmd_bitset_destroy(&done);
}

static void place_all(work_t *w) {
  unsigned levels = 0;
  for (uint32_t node = 1; node < w->graph->n_nodes; node++)
    place_edges(w, node);
  for (uint32_t slot = 1; slot <= w->slots->slots.last; slot++)
    if (dmd_derive_slot(w->slots, slot)->level > levels)
      levels = dmd_derive_slot(w->slots, slot)->level;
  for (unsigned level = 0; level < levels; level++)
    place_next_level(w, level);
}

/* ---- Referrers to a block ---- */

static bool may_hold(const work_t *w, uint32_t node, uint32_t edge) {
  if (w->slot_of[edge] != DMD_NONE)
    return true;
  if (node == DMD_GRAPH_ALL || is_block(w, node))
    return node != DMD_GRAPH_ALL;
  dmd_root_kind_t kind = dmd_heapgraph_root(w->heap, node)->kind;
  return kind == DMD_ROOT_DATA || kind == DMD_ROOT_THREAD;
}

static void add_holder(work_t *w, uint32_t to, uint32_t slot) {
  uint32_t *holders = &w->holders[(size_t)to * MAX_HOLDERS];
  w->n_in[to]++;
  if (slot == DMD_NONE) {
    dmd_bitset_add(&w->elsewhere, to);
    return;
  }
  for (int i = 0; i < MAX_HOLDERS; i++)
    if ((holders[i] & ~AGAIN) == slot) {
      holders[i] |= AGAIN;
      return;
    } else if (holders[i] == DMD_NONE) {
      holders[i] = slot;
      return;
    }
}

static void find_holders(work_t *w) {
  for (uint32_t node = 1; node < w->graph->n_nodes; node++)
    for (uint32_t e = w->graph->first[node]; e < w->graph->first[node + 1]; e++) {
      uint32_t to = w->graph->target[e];
      if (to != node && is_block(w, to) && may_hold(w, node, e) &&
          !dmd_typing_doubts(w->typing, node, e))
        add_holder(w, to, w->slot_of[e]);
    }
}

/* ---- Evidence for a slot ---- */

static void see_block(work_t *w, dmd_derive_seen_t *seen, uint32_t slot, uint32_t to) {
  uint64_t szB = dmd_heapgraph_requested(w->heap, to);
  const uint32_t *holders = &w->holders[(size_t)to * MAX_HOLDERS];
  uint32_t *rivals = &w->evidence->rivals[(size_t)slot * (w->evidence->n_slots + 1)];
  seen->least_szB = seen->n_pointers == 1 || szB < seen->least_szB ? szB : seen->least_szB;
  seen->most_szB = szB > seen->most_szB ? szB : seen->most_szB;
  seen->n_alone += w->n_in[to] == 1;
  seen->n_elsewhere += dmd_bitset_has(&w->elsewhere, to);
  seen->n_leading += w->graph->first[to] < w->graph->first[to + 1];
  for (int i = 0; i < MAX_HOLDERS && holders[i] != DMD_NONE; i++)
    if ((holders[i] & ~AGAIN) != slot)
      rivals[holders[i] & ~AGAIN]++;
    else
      seen->n_again += (holders[i] & AGAIN) != 0;
}

static void see_edges(work_t *w, const dmd_dominance_t *dominance) {
  for (uint32_t node = 1; node < w->graph->n_nodes; node++)
    for (uint32_t e = w->graph->first[node]; e < w->graph->first[node + 1]; e++) {
      uint32_t slot = w->slot_of[e], to = w->graph->target[e];
      if (slot == DMD_NONE || !is_block(w, to))
        continue;
      dmd_derive_seen_t *seen = &w->evidence->seen[slot];
      seen->n_pointers++;
      seen->n_inside += !leads_to_start(w, e);
      seen->n_back += dmd_dominance_is(dominance, to, node);
      see_block(w, seen, slot, to);
    }
}

void dmd_derive_evidence_init(dmd_derive_evidence_t *evidence, dmd_derive_slots_t *slots,
                              dmd_typing_t *typing, dmd_heapgraph_t *heap) {
  const dmd_env_t *env = heap->env;
  uint32_t n_nodes = heap->graph.n_nodes, n_slots = slots->slots.last;
  dmd_dominance_t dominance;
  dmd_edgemask_t mask;
  dmd_edgemask_init(&mask, &heap->graph);
  dmd_edgemask_take_stale(&mask, typing);
  dmd_dominance_init(&dominance, heap, &heap->graph);
  dmd_edgemask_destroy(&mask);
  *evidence = (dmd_derive_evidence_t){
      .env = env,
      .n_slots = n_slots,
      .seen = zeroed(env, n_slots, sizeof(dmd_derive_seen_t)),
      .rivals = zeroed(env, ((size_t)n_slots + 1) * (n_slots + 1), sizeof(uint32_t))};
  work_t w = {.slots = slots,
              .typing = typing,
              .heap = heap,
              .graph = &heap->graph,
              .evidence = evidence,
              .slot_of = zeroed(env, dmd_graph_n_edges(&heap->graph), sizeof(uint32_t)),
              .n_in = zeroed(env, n_nodes, sizeof(uint32_t)),
              .holders = zeroed(env, (size_t)n_nodes * MAX_HOLDERS, sizeof(uint32_t))};
  dmd_bitset_init(&w.elsewhere, env, COST_CENTRE, n_nodes);
  place_all(&w);
  find_holders(&w);
  see_edges(&w, &dominance);
  dmd_bitset_destroy(&w.elsewhere);
  dmd_env_free(env, w.holders);
  dmd_env_free(env, w.n_in);
  dmd_env_free(env, w.slot_of);
  dmd_dominance_destroy(&dominance);
}

void dmd_derive_evidence_destroy(dmd_derive_evidence_t *evidence) {
  dmd_env_free(evidence->env, evidence->rivals);
  dmd_env_free(evidence->env, evidence->seen);
}
