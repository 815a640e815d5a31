/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/graph/types.h"

#include "base/sort.h"

static uint64_t hash(const dmd_types_t *types, const dmd_type_t *type) {
  uint64_t h = dmd_table_hash(&types->index, type->kind);
  h = dmd_hash_u64(h ^ ((uint64_t)type->name << 32 | type->target));
  h = dmd_hash_u64(h ^ type->szB);
  h = dmd_hash_u64(h ^ type->count);
  return dmd_hash_u64(h ^ type->layout);
}

static bool is_same(const void *owner, uint32_t id, const void *key) {
  const dmd_type_t *a = dmd_type_at(owner, id), *b = key;
  return a->kind == b->kind && a->name == b->name && a->target == b->target && a->szB == b->szB &&
         a->count == b->count && a->layout == b->layout;
}

void dmd_types_init(dmd_types_t *types, const dmd_env_t *env, uint64_t pointer_szB) {
  *types = (dmd_types_t){.env = env, .pointer_szB = pointer_szB};
  dmd_intern_init(&types->names, env, "dmd.types");
  dmd_pool_init(&types->pool, env, "dmd.types", sizeof(dmd_type_t));
  dmd_pool_init(&types->members, env, "dmd.types", sizeof(dmd_type_member_t));
  dmd_table_init(&types->index, env, "dmd.types", is_same, types);
}

void dmd_types_destroy(dmd_types_t *types) {
  dmd_table_destroy(&types->index);
  dmd_pool_destroy(&types->members);
  dmd_pool_destroy(&types->pool);
  dmd_intern_destroy(&types->names);
}

/* Number of bits of n, at least 1. */
static unsigned bits(uint64_t n) {
  return 64u - (unsigned)__builtin_clzll(n | 1);
}

/* 0 (unknown) if the size would exceed any address space. */
static uint64_t array_szB(const dmd_types_t *types, const dmd_type_t *array) {
  if (array->target == DMD_NONE)
    return 0;
  uint64_t element_szB = dmd_type_at(types, array->target)->szB;
  return bits(element_szB) + bits(array->count) > 64 ? 0 : element_szB * array->count;
}

uint32_t dmd_types_add(dmd_types_t *types, const dmd_type_t *type) {
  dmd_type_t key = {.kind = type->kind,
                    .name = type->name,
                    .target = type->target,
                    .szB = type->szB,
                    .count = type->count,
                    .layout = type->layout};
  if (key.kind == DMD_TYPE_ARRAY)
    key.szB = array_szB(types, type);
  uint64_t h = hash(types, &key);
  return dmd_table_find_or_add(&types->index, &types->pool, h, &key);
}

uint32_t dmd_types_pointer_to(dmd_types_t *types, uint32_t target) {
  return dmd_types_add(
      types, &(dmd_type_t){.kind = DMD_TYPE_POINTER, .target = target, .szB = types->pointer_szB});
}

dmd_tells_t dmd_type_tells(const dmd_types_t *types, uint32_t id) {
  if (!dmd_type_has_size(types, id))
    return DMD_TELLS_NOTHING;
  const dmd_type_t *type = dmd_type_at(types, id);
  switch ((dmd_type_kind_t)type->kind) {
  case DMD_TYPE_FUNCTION:
    return DMD_TELLS_NOTHING;
  case DMD_TYPE_CHARACTER:
    return DMD_TELLS_BYTES;
  case DMD_TYPE_BASE:
  case DMD_TYPE_ENUM:
    return DMD_TELLS_NUMBERS;
  case DMD_TYPE_POINTER:
    return type->target == DMD_NONE ? DMD_TELLS_NUMBERS : DMD_TELLS_TYPE;
  default:
    return DMD_TELLS_TYPE;
  }
}

/* ---- Members. ---- */

void dmd_types_set_members(dmd_types_t *types, uint32_t id, const dmd_type_member_t *members,
                           uint32_t n) {
  dmd_type_t *type = DMD_POOL_AT(&types->pool, dmd_type_t, id);
  type->is_read = true;
  type->first_member = types->members.last;
  type->n_members = n;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t place = dmd_pool_add(&types->members);
    *DMD_POOL_AT(&types->members, dmd_type_member_t, place) = members[i];
  }
}

static bool has_members(const dmd_type_t *type) {
  return type->kind == DMD_TYPE_STRUCT || type->kind == DMD_TYPE_UNION;
}

uint32_t dmd_types_n_members(dmd_types_t *types, uint32_t id) {
  dmd_type_t *type = DMD_POOL_AT(&types->pool, dmd_type_t, id);
  if (!has_members(type))
    return 0;
  if (!type->is_read) {
    type->is_read = true; /* even if the source has no members */
    if (types->source.read_members != NULL)
      types->source.read_members(types->source.ctx, types, id);
  }
  return type->n_members;
}

/* The member of a struct with the highest offset; NULL if it has no members. */
static const dmd_type_member_t *last_member(dmd_types_t *types, uint32_t id) {
  const dmd_type_member_t *last = NULL;
  uint32_t n = dmd_types_n_members(types, id);
  for (uint32_t i = 0; i < n; i++) {
    const dmd_type_member_t *member = dmd_types_member(types, id, i);
    if (member->type != DMD_NONE && (last == NULL || member->offset >= last->offset))
      last = member;
  }
  return last;
}

bool dmd_type_is_flexible(dmd_types_t *types, uint32_t id, uint64_t *start, uint64_t *element_szB) {
  uint64_t from = 0;
  for (int depth = 0; depth < DMD_TYPES_MAX_DEPTH && dmd_type_is(types, id, DMD_TYPE_STRUCT);
       depth++) {
    const dmd_type_member_t *last = last_member(types, id);
    if (last == NULL)
      return false;
    from += last->offset;
    id = last->type;
  }
  if (!dmd_type_is(types, id, DMD_TYPE_ARRAY) || dmd_type_at(types, id)->count > 1 ||
      !dmd_type_has_size(types, dmd_type_at(types, id)->target))
    return false;
  if (start != NULL)
    *start = from;
  if (element_szB != NULL)
    *element_szB = dmd_type_at(types, dmd_type_at(types, id)->target)->szB;
  return true;
}

/* ---- Finding the member at an offset. ---- */

/* How informative a type is about a pointer. */
enum { SAYS_NOTHING, SAYS_SOMETHING, SAYS_POINTER, SAYS_WHERE_TO };

static int says(const dmd_types_t *types, uint32_t type) {
  if (type == DMD_NONE)
    return SAYS_NOTHING;
  if (!dmd_type_is(types, type, DMD_TYPE_POINTER))
    return SAYS_SOMETHING;
  return dmd_type_has_size(types, dmd_type_at(types, type)->target) ? SAYS_WHERE_TO : SAYS_POINTER;
}

/* Bounds the search, since unions of unions overlap. */
enum { MAX_LOOKS = 1000 };

/* A path down from a type: the member or element at each level. */
typedef struct {
  uint32_t *n_looks; /* remaining steps of the whole search: members of hostile types overlap */
  uint32_t n;
  struct step {
    bool is_element;
    uint32_t name;  /* of a member */
    uint64_t index; /* of an element */
  } steps[DMD_TYPES_MAX_DEPTH];
} way_t;

static uint32_t find(dmd_types_t *types, uint32_t id, uint64_t offset, way_t *way);

static uint32_t find_in_member(dmd_types_t *types, const dmd_type_member_t *member, uint64_t offset,
                               bool is_last, way_t *way) {
  if (member->type == DMD_NONE || offset < member->offset)
    return DMD_NONE;
  uint64_t within = offset - member->offset, szB = dmd_type_at(types, member->type)->szB;
  bool goes_on = is_last && dmd_type_is_flexible(types, member->type, NULL, NULL);
  if (is_last && dmd_type_is(types, member->type, DMD_TYPE_ARRAY) &&
      dmd_type_at(types, member->type)->count <= 1)
    goes_on = true;
  if (within >= szB && !goes_on)
    return DMD_NONE;
  way->steps[way->n++] = (struct step){.name = member->name};
  return find(types, member->type, within, way);
}

static uint32_t find_in_members(dmd_types_t *types, uint32_t id, uint64_t offset, way_t *way) {
  uint32_t n = dmd_types_n_members(types, id), best = DMD_NONE;
  bool is_union = dmd_type_is(types, id, DMD_TYPE_UNION);
  const dmd_type_member_t *last = is_union ? NULL : last_member(types, id);
  way_t best_way = *way;
  for (uint32_t i = 0; i < n; i++) {
    const dmd_type_member_t *member = dmd_types_member(types, id, i);
    way_t here = *way;
    uint32_t found = find_in_member(types, member, offset, member == last, &here);
    if (says(types, found) > says(types, best)) {
      best = found;
      best_way = here;
    }
  }
  *way = best_way;
  return best;
}

/* Recursion is at most DMD_TYPES_MAX_DEPTH deep, the capacity of the path. */
static uint32_t find(dmd_types_t *types, uint32_t id, uint64_t offset, way_t *way) {
  const dmd_type_t *type = dmd_type_at(types, id);
  if (!has_members(type) && type->kind != DMD_TYPE_ARRAY)
    return offset == 0 ? id : DMD_NONE;
  if (way->n == DMD_TYPES_MAX_DEPTH || *way->n_looks == 0)
    return DMD_NONE;
  --*way->n_looks;
  if (type->kind != DMD_TYPE_ARRAY)
    return find_in_members(types, id, offset, way);
  uint64_t szB = dmd_type_has_size(types, type->target) ? dmd_type_at(types, type->target)->szB : 0;
  if (szB == 0)
    return DMD_NONE;
  way->steps[way->n++] = (struct step){.is_element = true, .index = offset / szB};
  return find(types, type->target, offset % szB, way);
}

static void write_way(const dmd_types_t *types, const way_t *way, dmd_strbuf_t *to) {
  bool is_first = true;
  for (uint32_t i = 0; i < way->n; i++) {
    const struct step *step = &way->steps[i];
    if (step->is_element) {
      dmd_strbuf_str(to, "[");
      dmd_strbuf_u64(to, step->index);
      dmd_strbuf_str(to, "]");
    } else if (step->name != DMD_NONE) {
      if (!is_first)
        dmd_strbuf_str(to, ".");
      dmd_strbuf_str(to, dmd_intern_get_str(&types->names, step->name));
    } else
      continue;
    is_first = false;
  }
}

uint32_t dmd_type_find(dmd_types_t *types, uint32_t id, uint64_t offset, dmd_strbuf_t *path) {
  if (id == DMD_NONE)
    return DMD_NONE;
  uint32_t n_looks = MAX_LOOKS;
  way_t way;
  way.n_looks = &n_looks;
  way.n = 0;
  uint32_t found = find(types, id, offset, &way);
  if (found != DMD_NONE && path != NULL)
    write_way(types, &way, path);
  return found;
}

/* ---- Names. ---- */

static const char *name_without(dmd_type_kind_t kind) {
  switch (kind) {
  case DMD_TYPE_ENUM:
    return "enum {...}";
  case DMD_TYPE_STRUCT:
    return "struct {...}";
  case DMD_TYPE_UNION:
    return "union {...}";
  default:
    return "?";
  }
}

void dmd_type_name(const dmd_types_t *types, uint32_t id, dmd_strbuf_t *to) {
  uint32_t core = id;
  uint32_t chain[DMD_TYPES_MAX_DEPTH];
  int n = 0;
  while (core != DMD_NONE && n < DMD_TYPES_MAX_DEPTH &&
         (dmd_type_is(types, core, DMD_TYPE_POINTER) || dmd_type_is(types, core, DMD_TYPE_ARRAY))) {
    chain[n++] = core;
    core = dmd_type_at(types, core)->target;
  }
  if (core == DMD_NONE)
    dmd_strbuf_str(to, "void");
  else if (dmd_type_at(types, core)->kind == DMD_TYPE_FUNCTION)
    dmd_strbuf_str(to, n > 0 ? "void (" : "void ()");
  else {
    const dmd_type_t *type = dmd_type_at(types, core);
    dmd_strbuf_str(to, type->name != DMD_NONE ? dmd_intern_get_str(&types->names, type->name)
                                              : name_without(type->kind));
  }
  bool is_function = core != DMD_NONE && dmd_type_at(types, core)->kind == DMD_TYPE_FUNCTION;
  bool after_star = is_function;
  /* Appends from the innermost type outward. */
  for (int i = n - 1; i >= 0; i--) {
    const dmd_type_t *type = dmd_type_at(types, chain[i]);
    if (type->kind == DMD_TYPE_POINTER) {
      dmd_strbuf_str(to, after_star ? "*" : " *");
      after_star = true;
      continue;
    }
    dmd_strbuf_str(to, "[");
    if (type->count > 0)
      dmd_strbuf_u64(to, type->count);
    dmd_strbuf_str(to, "]");
    after_star = false;
  }
  if (is_function && n > 0)
    dmd_strbuf_str(to, ")()");
}

/* ---- Variables. ---- */

void dmd_variables_init(dmd_variables_t *variables, const dmd_env_t *env) {
  *variables = (dmd_variables_t){.env = env};
  dmd_intern_init(&variables->names, env, "dmd.variables");
  dmd_pool_init(&variables->pool, env, "dmd.variables", sizeof(dmd_variable_t));
}

void dmd_variables_destroy(dmd_variables_t *variables) {
  dmd_env_free(variables->env, variables->order);
  dmd_pool_destroy(&variables->pool);
  dmd_intern_destroy(&variables->names);
}

void dmd_variables_add(dmd_variables_t *variables, const dmd_variable_t *variable) {
  if (variable->szB == 0 || variable->addr + variable->szB < variable->addr)
    return;
  uint32_t id = dmd_pool_add(&variables->pool);
  *DMD_POOL_AT(&variables->pool, dmd_variable_t, id) = *variable;
}

static const dmd_variable_t *at(const dmd_variables_t *variables, uint32_t id) {
  return DMD_POOL_AT(&variables->pool, const dmd_variable_t, id);
}

static int by_place(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_variable_t *x = at(ctx, a), *y = at(ctx, b);
  if (x->object != y->object)
    return x->object < y->object ? -1 : 1;
  return (x->addr > y->addr) - (x->addr < y->addr);
}

/* For two that overlap: true if the later one is kept. */
static bool is_better(const dmd_variable_t *later, const dmd_variable_t *earlier) {
  bool is_typed = later->type != DMD_NONE;
  if (is_typed != (earlier->type != DMD_NONE))
    return is_typed;
  return later->szB > earlier->szB;
}

void dmd_variables_sort(dmd_variables_t *variables) {
  uint32_t *order = dmd_sorted_ids(variables->env, variables->pool.last, by_place, variables);
  uint32_t n = 0;
  for (uint32_t i = 0; i < variables->pool.last; i++) {
    const dmd_variable_t *here = at(variables, order[i]);
    const dmd_variable_t *before = n == 0 ? NULL : at(variables, order[n - 1]);
    bool overlaps =
        before != NULL && before->object == here->object && here->addr - before->addr < before->szB;
    if (!overlaps)
      order[n++] = order[i];
    else if (is_better(here, before))
      order[n - 1] = order[i];
  }
  dmd_env_free(variables->env, variables->order);
  variables->order = order;
  variables->n = n;
}

static bool is_before(const dmd_variable_t *variable, uint32_t object, uint64_t addr) {
  return variable->object < object || (variable->object == object && variable->addr < addr);
}

/* The place in the order of the first variable of this object at or above this address, else of the
 * next object's first. */
static uint32_t find_variable(const dmd_variables_t *variables, uint32_t object, uint64_t addr) {
  uint32_t place;
  DMD_SEARCH(place, 0, variables->n,
             is_before(at(variables, variables->order[place]), object, addr));
  return place;
}

dmd_data_part_t dmd_variables_part(const dmd_variables_t *variables, uint32_t object, uint64_t addr,
                                   uint64_t szB) {
  dmd_data_part_t between = {.szB = szB};
  uint32_t place = find_variable(variables, object, addr);
  if (place == variables->n)
    return between;
  const dmd_variable_t *next = at(variables, variables->order[place]);
  if (next->object != object || next->addr - addr >= szB || szB - (next->addr - addr) < next->szB)
    return between;
  if (next->addr > addr)
    return (dmd_data_part_t){.szB = next->addr - addr};
  return (dmd_data_part_t){.szB = next->szB, .variable = next};
}

const dmd_variable_t *dmd_variables_around(const dmd_variables_t *variables, uint32_t object,
                                           uint64_t addr) {
  uint32_t place = addr == UINT64_MAX ? 0 : find_variable(variables, object, addr + 1);
  if (place == 0)
    return NULL;
  const dmd_variable_t *last = at(variables, variables->order[place - 1]);
  return last->object == object && addr - last->addr < last->szB ? last : NULL;
}
