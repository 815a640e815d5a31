/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/waste/padding.h"

#include "base/sort.h"
#include "base/str.h"

enum { MAX_MEMBERS = 512, MAX_LOOKS = 5000, MAX_ALIGN = 16 };

/* A member, or bit fields that share bytes. */
typedef struct {
  uint32_t first, n; /* places in the list of members */
  uint64_t start, end;
  uint64_t align; /* that its type needs */
  bool is_bits;
  bool is_first, is_last; /* cannot move */
} unit_t;

typedef struct {
  dmd_types_t *types;
  uint32_t type;
  uint32_t n_looks; /* left */
  uint32_t n_units;
  uint64_t align;             /* of the struct */
  bool is_natural;            /* laid out as a compiler does without attributes */
  dmd_type_member_t *members; /* by offset */
  unit_t *units;
  uint32_t *order; /* of the units, the best one */
} layout_t;

static uint64_t round_up(uint64_t n, uint64_t align) {
  return (n + align - 1) / align * align;
}

/* ---- Alignments. ---- */

static uint64_t align_of(layout_t *l, uint32_t type, int depth);

static uint64_t align_of_number(const layout_t *l, uint64_t szB) {
  uint64_t most = l->types->pointer_szB == sizeof(uint64_t) ? MAX_ALIGN : l->types->pointer_szB;
  uint64_t align = szB & -szB;
  return align < most ? align : most;
}

/* 1 for a packed struct, 0 if unknown. */
static uint64_t align_of_members(layout_t *l, uint32_t type, int depth) {
  uint64_t most = 1;
  bool is_packed = false;
  uint32_t n = dmd_types_n_members(l->types, type);
  for (uint32_t i = 0; i < n; i++) {
    dmd_type_member_t member = *dmd_types_member(l->types, type, i);
    uint64_t align = align_of(l, member.type, depth + 1);
    if (align == 0)
      return 0;
    is_packed = is_packed || (member.bits_szB == 0 && member.offset % align != 0);
    most = align > most ? align : most;
  }
  return is_packed || dmd_type_at(l->types, type)->szB % most != 0 ? 1 : most;
}

/* 0: unknown. */
static uint64_t align_of(layout_t *l, uint32_t id, int depth) {
  if (id == DMD_NONE || depth == DMD_TYPES_MAX_DEPTH || l->n_looks == 0)
    return 0;
  l->n_looks--;
  const dmd_type_t *type = dmd_type_at(l->types, id);
  if (type->kind == DMD_TYPE_ARRAY)
    return align_of(l, type->target, depth + 1);
  if (type->szB == 0)
    return 0;
  if (type->kind == DMD_TYPE_STRUCT || type->kind == DMD_TYPE_UNION)
    return align_of_members(l, id, depth);
  return align_of_number(l, type->szB);
}

/* ---- Members and units. ---- */

static int by_offset(const void *ctx, uint32_t a, uint32_t b) {
  const layout_t *l = ctx;
  uint64_t x = dmd_types_member(l->types, l->type, a)->offset,
           y = dmd_types_member(l->types, l->type, b)->offset;
  return (x > y) - (x < y);
}

static void sort_members(layout_t *l, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    l->order[i] = i;
  dmd_sort(l->types->env, l->order, n, by_offset, l);
  for (uint32_t i = 0; i < n; i++)
    l->members[i] = *dmd_types_member(l->types, l->type, l->order[i]);
}

static const char *name_of(const layout_t *l, const dmd_type_member_t *member) {
  return member->name == DMD_NONE ? "" : dmd_intern_get_str(&l->types->names, member->name);
}

/* An empty class takes no room of its own where it is a base class or a member without an
 * address. */
static bool is_empty_class(const layout_t *l, const dmd_type_member_t *member) {
  return dmd_type_is(l->types, member->type, DMD_TYPE_STRUCT) &&
         dmd_type_at(l->types, member->type)->szB == 1 &&
         dmd_types_n_members(l->types, member->type) == 0;
}

static uint64_t size_of(const layout_t *l, const dmd_type_member_t *member) {
  if (member->bits_szB > 0)
    return member->bits_szB;
  return member->type == DMD_NONE || is_empty_class(l, member)
             ? 0
             : dmd_type_at(l->types, member->type)->szB;
}

/* The array that dmd_type_is_flexible finds. */
static bool is_open_array(const layout_t *l, const dmd_type_member_t *member) {
  uint64_t start;
  return dmd_type_is(l->types, member->type, DMD_TYPE_ARRAY) &&
         dmd_type_is_flexible(l->types, l->type, &start, NULL) && start == member->offset;
}

/* Base classes, the pointer that GCC and Clang name "_vptr.jar" or "_vptr$jar", and a struct at the
 * start, which C programs use as a base class. */
static bool stays_first(const layout_t *l, const dmd_type_member_t *member) {
  return member->name == DMD_NONE || dmd_str_begins(name_of(l, member), "_vptr") ||
         (member->offset == 0 && dmd_type_is(l->types, member->type, DMD_TYPE_STRUCT));
}

static void add_unit(layout_t *l, uint32_t place) {
  const dmd_type_member_t *member = &l->members[place];
  unit_t unit = {.first = place, .n = 1, .start = member->offset, .is_bits = member->bits_szB > 0};
  unit_t *before = l->n_units == 0 ? NULL : &l->units[l->n_units - 1];
  uint64_t szB = size_of(l, member), align = align_of(l, member->type, 1);
  if (szB == 0 && is_empty_class(l, member))
    return;
  unit.end = unit.start + szB;
  unit.align = align;
  unit.is_first = (before == NULL || before->is_first) && stays_first(l, member);
  unit.is_last = is_open_array(l, member);
  l->is_natural = l->is_natural && align > 0 && (szB > 0 || unit.is_last);
  if (before != NULL && before->is_bits && unit.is_bits && unit.start <= before->end) {
    before->end = unit.end > before->end ? unit.end : before->end;
    before->align = align > before->align ? align : before->align;
    before->n++;
    return;
  }
  if (before != NULL && unit.start < before->end) {
    /* A class may use the padding at the end of its base class. */
    l->is_natural = l->is_natural && before->is_first;
    before->end = unit.start;
  }
  l->units[l->n_units++] = unit;
}

/* ---- Holes. ---- */

static void look_at_holes(layout_t *l, dmd_padding_t *padding) {
  uint64_t end = 0;
  l->align = 1;
  for (uint32_t i = 0; i < l->n_units; i++) {
    const unit_t *unit = &l->units[i];
    uint64_t hole = unit->start - end;
    padding->holes_szB += hole;
    padding->n_holes += hole > 0;
    if (!unit->is_bits && unit->align > 0)
      l->is_natural = l->is_natural && unit->start % unit->align == 0 && hole < unit->align;
    l->align = unit->align > l->align ? unit->align : l->align;
    end = unit->end;
  }
  padding->tail_szB = padding->szB > end ? padding->szB - end : 0;
  l->is_natural = l->is_natural && end <= padding->szB && padding->tail_szB < l->align &&
                  padding->szB % l->align == 0;
}

/* ---- The best order. ---- */

/* True if a is the better next unit at an offset: the one with the smaller hole before it, then
 * the one whose alignment is harder to meet. */
static bool is_better(const unit_t *a, const unit_t *b, uint64_t at) {
  uint64_t hole_a = round_up(at, a->align) - at, hole_b = round_up(at, b->align) - at;
  if (a->is_last != b->is_last)
    return b->is_last;
  return hole_a != hole_b ? hole_a < hole_b : a->align > b->align;
}

/* Returns the size of the struct. */
static uint64_t find_order(layout_t *l) {
  uint64_t end = 0;
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->n_units; i++)
    l->order[i] = i;
  for (; n < l->n_units && l->units[n].is_first; n++)
    end = l->units[n].end;
  for (; n < l->n_units; n++) {
    uint32_t best = n;
    for (uint32_t i = n + 1; i < l->n_units; i++)
      if (is_better(&l->units[l->order[i]], &l->units[l->order[best]], end))
        best = i;
    uint32_t chosen = l->order[best];
    for (uint32_t i = best; i > n; i--)
      l->order[i] = l->order[i - 1];
    l->order[n] = chosen;
    const unit_t *unit = &l->units[chosen];
    end = round_up(end, unit->align) + (unit->end - unit->start);
  }
  return round_up(end, l->align);
}

/* Types of the C++ library have private names; the program cannot change them. */
static bool is_of_the_library(const layout_t *l) {
  uint32_t name = dmd_type_at(l->types, l->type)->name;
  const char *text = name == DMD_NONE ? "" : dmd_intern_get_str(&l->types->names, name);
  bool is_private = dmd_str_begins(text, "std::") || dmd_str_begins(text, "__gnu_cxx::");
  for (uint32_t i = 0; i < l->n_units; i++) {
    const char *member = name_of(l, &l->members[l->units[i].first]);
    is_private = is_private || (dmd_type_is_private(member) && !dmd_str_begins(member, "_vptr"));
  }
  return is_private;
}

/* ---- The whole. ---- */

/* False, with nothing to destroy, if the type has no members that are known. */
static bool layout_init(layout_t *l, dmd_types_t *types, uint32_t type, dmd_padding_t *padding) {
  *padding = (dmd_padding_t){0};
  *l = (layout_t){.types = types, .type = type, .n_looks = MAX_LOOKS, .is_natural = true};
  uint32_t n = dmd_type_is(types, type, DMD_TYPE_STRUCT) && dmd_type_has_size(types, type)
                   ? dmd_types_n_members(types, type)
                   : 0;
  if (n == 0 || n > MAX_MEMBERS)
    return false;
  l->members = dmd_env_alloc(types->env, "dmd.padding", n * sizeof *l->members);
  l->units = dmd_env_alloc(types->env, "dmd.padding", n * sizeof *l->units);
  l->order = dmd_env_alloc(types->env, "dmd.padding", n * sizeof *l->order);
  sort_members(l, n);
  for (uint32_t i = 0; i < n; i++)
    add_unit(l, i);
  padding->szB = padding->best_szB = dmd_type_at(types, type)->szB;
  look_at_holes(l, padding);
  if (l->is_natural && !is_of_the_library(l)) {
    uint64_t best = find_order(l);
    padding->best_szB = best < padding->szB ? best : padding->szB;
  }
  return true;
}

static void layout_destroy(layout_t *l) {
  dmd_env_free(l->types->env, l->order);
  dmd_env_free(l->types->env, l->units);
  dmd_env_free(l->types->env, l->members);
}

dmd_padding_t dmd_padding_of(dmd_types_t *types, uint32_t type) {
  layout_t l;
  dmd_padding_t padding;
  if (layout_init(&l, types, type, &padding))
    layout_destroy(&l);
  return padding;
}

void dmd_padding_order(dmd_types_t *types, uint32_t type, void (*add)(void *ctx, const char *name),
                       void *ctx) {
  layout_t l;
  dmd_padding_t padding;
  if (!layout_init(&l, types, type, &padding))
    return;
  for (uint32_t i = 0; padding.best_szB < padding.szB && i < l.n_units; i++) {
    const unit_t *unit = &l.units[l.order[i]];
    for (uint32_t k = 0; k < unit->n; k++) {
      const char *name = name_of(&l, &l.members[unit->first + k]);
      add(ctx, name[0] != '\0' ? name : unit->is_first ? "(base class)" : "(unnamed)");
    }
  }
  layout_destroy(&l);
}
