/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/dwarftypes.h"

#include "base/str.h"
#include "debuginfo/dies.h"
#include "host/process.h"

typedef struct {
  Dwarf_Die type;
  bool is_table;
} allocated_t;

static void read_members(void *ctx, dmd_types_t *types, uint32_t type);
static uint32_t make(dmdv_dwarftypes_t *d, Dwarf_Die *die, int depth);

void dmdv_dwarftypes_init(dmdv_dwarftypes_t *d, dmd_types_t *types) {
  *d = (dmdv_dwarftypes_t){.types = types};
  dmd_map_init(&d->known, &dmdv_env, "dmdv.dwarftypes");
  dmd_map_init(&d->scopes, &dmdv_env, "dmdv.dwarftypes");
  dmd_map_init(&d->allocators, &dmdv_env, "dmdv.dwarftypes");
  dmd_pool_init(&d->allocated, &dmdv_env, "dmdv.dwarftypes", sizeof(allocated_t));
  dmd_intern_init(&d->defined, &dmdv_env, "dmdv.dwarftypes");
  dmd_pool_init(&d->definitions, &dmdv_env, "dmdv.dwarftypes", sizeof(Dwarf_Die));
  dmd_pool_init(&d->dies, &dmdv_env, "dmdv.dwarftypes", sizeof(Dwarf_Die));
  types->source = (dmd_type_source_t){read_members, d};
}

void dmdv_dwarftypes_destroy(dmdv_dwarftypes_t *d) {
  d->types->source = (dmd_type_source_t){NULL, NULL};
  dmd_pool_destroy(&d->dies);
  dmd_pool_destroy(&d->definitions);
  dmd_intern_destroy(&d->defined);
  dmd_pool_destroy(&d->allocated);
  dmd_map_destroy(&d->allocators);
  dmd_map_destroy(&d->scopes);
  dmd_map_destroy(&d->known);
}

/* ---- Names and definitions. ---- */

static uint64_t key_of(const Dwarf_Die *die) {
  return (uint64_t)(uintptr_t)die->addr;
}

/* Maps hold non-NULL pointers. */
static void *as_value(uint32_t id) {
  return (void *)((uintptr_t)id + 1);
}

static uint32_t as_id(const void *value) {
  return (uint32_t)((uintptr_t)value - 1);
}

void dmdv_dwarftypes_scope(dmdv_dwarftypes_t *d, Dwarf_Die *die, uint32_t scope) {
  if (scope != DMD_NONE && dmd_map_find(&d->scopes, key_of(die)) == NULL)
    dmd_map_add(&d->scopes, key_of(die), as_value(scope));
}

static void append_name(const dmdv_dwarftypes_t *d, Dwarf_Die *die, const char *name,
                        dmd_strbuf_t *to) {
  if (name == NULL)
    return;
  const void *scope = dmd_map_find(&d->scopes, key_of(die));
  if (scope != NULL)
    dmd_strbuf_str(to, dmd_intern_get_str(&d->types->names, as_id(scope)));
  dmd_strbuf_str(to, name);
}

void dmdv_dwarftypes_name(const dmdv_dwarftypes_t *d, Dwarf_Die *die, dmd_strbuf_t *to) {
  append_name(d, die, dwarf_diename(die), to);
}

/* The id in `defined` of a name in any spelling. */
static uint32_t defined_id(dmdv_dwarftypes_t *d, const char *name, bool may_add) {
  dmd_strbuf_t normal;
  dmd_strbuf_init(&normal, &dmdv_env);
  dmdv_classname_normal(&normal, name);
  uint32_t id = may_add ? dmd_intern_str(&d->defined, normal.text)
                        : dmd_intern_find_str(&d->defined, normal.text);
  dmd_strbuf_destroy(&normal);
  return id;
}

void dmdv_dwarftypes_define(dmdv_dwarftypes_t *d, Dwarf_Die *die) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  dmdv_dwarftypes_name(d, die, &name);
  uint32_t id = name.n == 0 ? DMD_NONE : defined_id(d, name.text, true);
  if (id > d->definitions.last) {
    dmd_pool_reach(&d->definitions, id);
    *DMD_POOL_AT(&d->definitions, Dwarf_Die, id) = *die;
  }
  dmd_strbuf_destroy(&name);
}

static bool find_definition(dmdv_dwarftypes_t *d, const char *name, Dwarf_Die *die) {
  uint32_t id = defined_id(d, name, false);
  if (id != DMD_NONE)
    *die = *DMD_POOL_AT(&d->definitions, Dwarf_Die, id);
  return id != DMD_NONE;
}

uint32_t dmdv_dwarftypes_find(dmdv_dwarftypes_t *d, const char *name) {
  Dwarf_Die die;
  return find_definition(d, name, &die) ? dmdv_dwarftypes_type(d, &die) : DMD_NONE;
}

/* ---- Types. ---- */

static uint64_t size_of(Dwarf_Die *die) {
  uint64_t szB;
  return dmdv_die_number(die, DW_AT_byte_size, &szB) ? szB : 0;
}

static uint32_t name_id(dmdv_dwarftypes_t *d, Dwarf_Die *die, const char *name) {
  dmd_strbuf_t buf;
  dmd_strbuf_init(&buf, &dmdv_env);
  append_name(d, die, name, &buf);
  uint32_t id = buf.n == 0 ? DMD_NONE : dmd_intern_text(&d->types->names, buf.text);
  dmd_strbuf_destroy(&buf);
  return id;
}

static uint32_t make_base(dmdv_dwarftypes_t *d, Dwarf_Die *die) {
  uint64_t encoding = 0;
  dmd_type_t type = {.kind = DMD_TYPE_BASE, .szB = size_of(die)};
  dmdv_die_number(die, DW_AT_encoding, &encoding);
  if (type.szB == 1 && encoding != DW_ATE_boolean)
    type.kind = DMD_TYPE_CHARACTER;
  type.name = name_id(d, die, dwarf_diename(die));
  return dmd_types_add(d->types, &type);
}

static uint32_t make_enum(dmdv_dwarftypes_t *d, Dwarf_Die *die, const char *typedef_name) {
  const char *name = dwarf_diename(die);
  dmd_type_t type = {.kind = DMD_TYPE_ENUM,
                     .name = name_id(d, die, name != NULL ? name : typedef_name),
                     .szB = size_of(die)};
  if (name != NULL && type.szB == 1 && dmd_str_equal(name, "byte"))
    type.kind = DMD_TYPE_CHARACTER; /* std::byte */
  return dmd_types_add(d->types, &type);
}

static uint32_t target_of(dmdv_dwarftypes_t *d, Dwarf_Die *die, int depth) {
  Dwarf_Die target;
  return dmdv_die_follow(die, DW_AT_type, false, &target) ? make(d, &target, depth + 1) : DMD_NONE;
}

/* The number of elements of an array's dimension; 0: unknown. */
static uint64_t elements_of(Dwarf_Die *dimension) {
  uint64_t n, low = 0;
  if (dmdv_die_number(dimension, DW_AT_count, &n))
    return n;
  dmdv_die_number(dimension, DW_AT_lower_bound, &low);
  if (!dmdv_die_number(dimension, DW_AT_upper_bound, &n) || n + 1 < low)
    return 0;
  return n + 1 - low;
}

static uint32_t make_array(dmdv_dwarftypes_t *d, Dwarf_Die *die, int depth) {
  enum { MAX_DIMENSIONS = 16 };
  uint64_t counts[MAX_DIMENSIONS];
  int n = 0;
  Dwarf_Die child;
  dmdv_walk_t walk = {NULL};
  for (bool found = dmdv_walk_first(&walk, die, &child); found && n < MAX_DIMENSIONS;
       found = dmdv_walk_next(&walk, &child))
    if (dwarf_tag(&child) == DW_TAG_subrange_type)
      counts[n++] = elements_of(&child);
  uint32_t element = target_of(d, die, depth);
  if (element == DMD_NONE)
    return DMD_NONE;
  if (n == 0)
    counts[n++] = 0;
  while (n-- > 0)
    element = dmd_types_add(
        d->types, &(dmd_type_t){.kind = DMD_TYPE_ARRAY, .target = element, .count = counts[n]});
  return element;
}

/* Tells types of equal name and size apart: hashes the names and places of their members. */
static uint64_t layout_of(Dwarf_Die *die) {
  uint64_t h = 1;
  Dwarf_Die child;
  dmdv_walk_t walk = {NULL};
  for (bool found = dmdv_walk_first(&walk, die, &child); found;
       found = dmdv_walk_next(&walk, &child)) {
    if (dwarf_tag(&child) != DW_TAG_member)
      continue;
    const char *name = dwarf_diename(&child);
    uint64_t offset = 0;
    dmdv_die_number(&child, DW_AT_data_member_location, &offset);
    h = dmd_hash_bytes(h ^ offset, name, name == NULL ? 0 : dmd_str_length(name));
  }
  return h;
}

/* The definition of a type that this DIE may only declare. */
static Dwarf_Die definition_of(dmdv_dwarftypes_t *d, Dwarf_Die *die) {
  Dwarf_Die found = *die;
  if (dmdv_die_follow(die, DW_AT_signature, false, &found))
    return found;
  if (!dmdv_die_flag(die, DW_AT_declaration))
    return *die;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  dmdv_dwarftypes_name(d, die, &name);
  if (name.n == 0 || !find_definition(d, name.text, &found))
    found = *die;
  dmd_strbuf_destroy(&name);
  return found;
}

/* The variants of a Rust enum, which is a struct with nothing else in it. */
static bool find_variants(Dwarf_Die *die, Dwarf_Die *part) {
  dmdv_walk_t walk = {NULL};
  for (bool found = dmdv_walk_first(&walk, die, part); found; found = dmdv_walk_next(&walk, part))
    if (dwarf_tag(part) == DW_TAG_variant_part)
      return true;
  return false;
}

static uint32_t make_struct(dmdv_dwarftypes_t *d, Dwarf_Die *declared, const char *typedef_name) {
  Dwarf_Die die = definition_of(d, declared);
  const char *name = dwarf_diename(&die);
  Dwarf_Die part;
  bool is_union = dwarf_tag(&die) == DW_TAG_union_type || find_variants(&die, &part);
  dmd_type_t type = {.kind = is_union ? DMD_TYPE_UNION : DMD_TYPE_STRUCT,
                     .name = name_id(d, &die, name != NULL ? name : typedef_name),
                     .szB = size_of(&die)};
  if (type.szB > 0)
    type.layout = layout_of(&die);
  uint32_t id = dmd_types_add(d->types, &type);
  dmd_pool_reach(&d->dies, id);
  Dwarf_Die *kept = DMD_POOL_AT(&d->dies, Dwarf_Die, id);
  if (kept->addr == NULL)
    *kept = die;
  return id;
}

static uint32_t make_new(dmdv_dwarftypes_t *d, Dwarf_Die *die, const char *typedef_name,
                         int depth) {
  switch (dwarf_tag(die)) {
  case DW_TAG_base_type:
    return make_base(d, die);
  case DW_TAG_enumeration_type:
    return make_enum(d, die, typedef_name);
  case DW_TAG_pointer_type:
  case DW_TAG_reference_type:
  case DW_TAG_rvalue_reference_type:
    return dmd_types_pointer_to(d->types, target_of(d, die, depth));
  case DW_TAG_array_type:
    return make_array(d, die, depth);
  case DW_TAG_subroutine_type:
    return dmd_types_add(d->types, &(dmd_type_t){.kind = DMD_TYPE_FUNCTION});
  case DW_TAG_structure_type:
  case DW_TAG_class_type:
  case DW_TAG_interface_type:
  case DW_TAG_union_type:
    return make_struct(d, die, typedef_name);
  default:
    return DMD_NONE;
  }
}

/* The depth is limited: in a damaged file, pointers and arrays may refer to one another for
 * ever. */
static uint32_t make(dmdv_dwarftypes_t *d, Dwarf_Die *type, int depth) {
  Dwarf_Die die;
  const char *typedef_name;
  if (depth > DMDV_DIES_MAX_DEPTH || !dmdv_die_peel(type, &die, &typedef_name))
    return DMD_NONE;
  const void *known = dmd_map_find(&d->known, key_of(&die));
  if (known != NULL)
    return as_id(known);
  uint32_t id = make_new(d, &die, typedef_name, depth);
  if (dmd_map_find(&d->known, key_of(&die)) == NULL)
    dmd_map_add(&d->known, key_of(&die), as_value(id));
  return id;
}

uint32_t dmdv_dwarftypes_type(dmdv_dwarftypes_t *d, Dwarf_Die *die) {
  return make(d, die, 0);
}

uint32_t dmdv_dwarftypes_of(dmdv_dwarftypes_t *d, Dwarf_Die *die) {
  Dwarf_Die type;
  return dmdv_die_follow(die, DW_AT_type, true, &type) ? make(d, &type, 0) : DMD_NONE;
}

/* ---- Allocators. ---- */

void dmdv_dwarftypes_allocator(dmdv_dwarftypes_t *d, Dwarf_Die *function, const Dwarf_Die *type,
                               bool is_table) {
  if (dmd_map_find(&d->allocators, key_of(function)) != NULL)
    return;
  uint32_t id = dmd_pool_add(&d->allocated);
  *DMD_POOL_AT(&d->allocated, allocated_t, id) = (allocated_t){*type, is_table};
  dmd_map_add(&d->allocators, key_of(function), as_value(id));
}

static dmdv_allocated_t values_of(dmdv_dwarftypes_t *d, Dwarf_Die *type, bool is_table) {
  return (dmdv_allocated_t){.type = dmdv_dwarftypes_type(d, type), .is_table = is_table};
}

dmdv_allocated_t dmdv_dwarftypes_allocated(dmdv_dwarftypes_t *d, Dwarf_Die *function) {
  Dwarf_Die die = *function, type;
  for (int i = 0; i < 4; i++) {
    const void *id = dmd_map_find(&d->allocators, key_of(&die));
    if (id != NULL) {
      allocated_t *allocated = DMD_POOL_AT(&d->allocated, allocated_t, as_id(id));
      return values_of(d, &allocated->type, allocated->is_table);
    }
    const char *name = dwarf_diename(&die);
    if (name != NULL && dmd_str_begins(name, "make_unique<") &&
        dmdv_die_parameter(&die, NULL, &type))
      return values_of(d, &type, false);
    if (!dmdv_die_follow(&die, DW_AT_abstract_origin, false, &die) &&
        !dmdv_die_follow(&die, DW_AT_specification, false, &die))
      break;
  }
  return (dmdv_allocated_t){.type = DMD_NONE};
}

/* ---- Members. ---- */

/* The offset of a member or base class. False: it depends on the object, as for a virtual base
 * class, or it is not in the object, as for a static member. */
static bool place_of(Dwarf_Die *member, uint64_t *offset) {
  Dwarf_Attribute attribute;
  uint64_t bits;
  *offset = 0;
  if (dmdv_die_flag(member, DW_AT_declaration) || dmdv_die_flag(member, DW_AT_external))
    return false;
  if (dmdv_die_number(member, DW_AT_data_bit_offset, &bits)) {
    *offset = bits / 8;
    return true;
  }
  if (dwarf_attr(member, DW_AT_data_member_location, &attribute) == NULL)
    return true; /* in a union */
  if (dmdv_die_number(member, DW_AT_data_member_location, offset))
    return true;
  Dwarf_Op *ops;
  size_t n;
  if (dwarf_getlocation(&attribute, &ops, &n) != 0 || n != 1 || ops[0].atom != DW_OP_plus_uconst)
    return false;
  *offset = ops[0].number;
  return true;
}

/* The bytes that a bit field is in, from its first byte, whose offset it corrects; 0 if it is not
 * one. Before DWARF 4, bits count from the most significant one of a unit. */
static uint32_t bits_of(Dwarf_Die *member, uint64_t *offset) {
  uint64_t n, first, from_top, unit_szB;
  if (!dmdv_die_number(member, DW_AT_bit_size, &n) || n == 0 || n > 8 * sizeof(uint64_t))
    return 0;
  if (!dmdv_die_number(member, DW_AT_data_bit_offset, &first)) {
    if (!dmdv_die_number(member, DW_AT_bit_offset, &from_top) ||
        !dmdv_die_number(member, DW_AT_byte_size, &unit_szB) || 8 * unit_szB < from_top + n)
      return 0;
    first = 8 * unit_szB - from_top - n;
    *offset += first / 8;
  }
  return (uint32_t)((first % 8 + n + 7) / 8);
}

static void add_member(dmdv_dwarftypes_t *d, dmd_pool_t *members, Dwarf_Die *die) {
  int tag = dwarf_tag(die);
  dmd_type_member_t member = {.name = DMD_NONE};
  if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !place_of(die, &member.offset))
    return;
  member.bits_szB = bits_of(die, &member.offset);
  const char *name = tag == DW_TAG_member ? dwarf_diename(die) : NULL;
  if (name != NULL)
    member.name = dmd_intern_text(&d->types->names, name);
  member.type = dmdv_dwarftypes_of(d, die);
  *(dmd_type_member_t *)dmd_pool_at(members, dmd_pool_add(members)) = member;
}

static void add_members(dmdv_dwarftypes_t *d, dmd_pool_t *members, Dwarf_Die *parent) {
  Dwarf_Die child;
  dmdv_walk_t walk = {NULL};
  for (bool found = dmdv_walk_first(&walk, parent, &child); found;
       found = dmdv_walk_next(&walk, &child))
    if (dwarf_tag(&child) == DW_TAG_variant)
      add_members(d, members, &child);
    else
      add_member(d, members, &child);
}

/* The storage in which the GNU C++ library constructs a value later. It is declared as an array of
 * bytes. */
static bool is_room_for_a_value(Dwarf_Die *die) {
  const char *name = dwarf_diename(die);
  return name != NULL &&
         (dmd_str_begins(name, "__aligned_membuf<") || dmd_str_begins(name, "__aligned_buffer<"));
}

static bool find_member(Dwarf_Die *die, const char *name, Dwarf_Die *member) {
  dmdv_walk_t walk = {NULL};
  for (bool found = dmdv_walk_first(&walk, die, member); found;
       found = dmdv_walk_next(&walk, member)) {
    const char *its = dwarf_tag(member) == DW_TAG_member ? dwarf_diename(member) : NULL;
    if (its != NULL && dmd_str_equal(its, name))
      return true;
  }
  return false;
}

/* The pointer of a Rust vector; its other members are numbers. In later releases of Rust, RawVec<T>
 * keeps it in a RawVecInner, which is the same for all T and declares it as a pointer to bytes. */
static bool add_vector(dmdv_dwarftypes_t *d, dmd_pool_t *members, Dwarf_Die *die) {
  const char *name = dwarf_diename(die);
  Dwarf_Die element, inner, inner_type, ptr;
  uint64_t inner_offset, offset;
  if (name == NULL || !dmd_str_begins(name, "RawVec<") ||
      !dmdv_die_parameter(die, NULL, &element) || !find_member(die, "inner", &inner) ||
      !place_of(&inner, &inner_offset) || !dmdv_die_follow(&inner, DW_AT_type, true, &inner_type) ||
      !find_member(&inner_type, "ptr", &ptr) || !place_of(&ptr, &offset))
    return false;
  *(dmd_type_member_t *)dmd_pool_at(members, dmd_pool_add(members)) = (dmd_type_member_t){
      .name = dmd_intern_text(&d->types->names, "ptr"),
      .offset = inner_offset + offset,
      .type = dmd_types_pointer_to(d->types, dmdv_dwarftypes_type(d, &element))};
  return true;
}

static void read_members(void *ctx, dmd_types_t *types, uint32_t type) {
  dmdv_dwarftypes_t *d = ctx;
  if (type > d->dies.last || DMD_POOL_AT(&d->dies, Dwarf_Die, type)->addr == NULL)
    return;
  Dwarf_Die die = *DMD_POOL_AT(&d->dies, Dwarf_Die, type), child;
  dmd_pool_t members;
  dmd_pool_init(&members, &dmdv_env, "dmdv.dwarftypes", sizeof(dmd_type_member_t));
  Dwarf_Die part;
  if (is_room_for_a_value(&die) && dmdv_die_parameter(&die, NULL, &child))
    *(dmd_type_member_t *)dmd_pool_at(&members, dmd_pool_add(&members)) =
        (dmd_type_member_t){.type = dmdv_dwarftypes_type(d, &child)};
  else if (!add_vector(d, &members, &die))
    add_members(d, &members, find_variants(&die, &part) ? &part : &die);
  dmd_type_member_t *list =
      dmd_env_alloc(&dmdv_env, "dmdv.dwarftypes", (members.last + 1) * sizeof *list);
  for (uint32_t i = 0; i < members.last; i++)
    list[i] = *DMD_POOL_AT(&members, const dmd_type_member_t, i + 1);
  dmd_types_set_members(types, type, list, members.last);
  dmd_env_free(&dmdv_env, list);
  dmd_pool_destroy(&members);
}
