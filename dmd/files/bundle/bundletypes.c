/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/bundle/bundletypes.h"

/* ---- Members to look up. ---- */

/* A work list of types, each listed once. */
typedef struct {
  dmd_pool_t is_listed; /* by type: uint32_t */
  dmd_pool_t list;      /* uint32_t */
} list_t;

static void list_type(list_t *l, uint32_t type) {
  if (type == DMD_NONE)
    return;
  dmd_pool_reach(&l->is_listed, type);
  uint32_t *is_listed = DMD_POOL_AT(&l->is_listed, uint32_t, type);
  if (*is_listed)
    return;
  *is_listed = true;
  uint32_t place = dmd_pool_add(&l->list);
  *DMD_POOL_AT(&l->list, uint32_t, place) = type;
}

static void list_parts(list_t *l, dmd_types_t *types, uint32_t type) {
  if (dmd_type_is(types, type, DMD_TYPE_ARRAY))
    list_type(l, dmd_type_at(types, type)->target);
  uint32_t n = dmd_types_n_members(types, type);
  for (uint32_t i = 0; i < n; i++)
    list_type(l, dmd_types_member(types, type, i)->type);
}

void dmd_imagetypes_look_up(dmd_types_t *types, const dmd_typing_t *typing) {
  list_t l;
  dmd_pool_init(&l.is_listed, types->env, "dmd.image", sizeof(uint32_t));
  dmd_pool_init(&l.list, types->env, "dmd.image", sizeof(uint32_t));
  for (uint32_t node = 0; node < typing->graph->graph.n_nodes; node++)
    list_type(&l, dmd_typing_type(typing, node));
  for (uint32_t place = 1; place <= l.list.last; place++)
    list_parts(&l, types, *DMD_POOL_AT(&l.list, uint32_t, place));
  dmd_pool_destroy(&l.list);
  dmd_pool_destroy(&l.is_listed);
}

/* ---- Types, then the members of each. ---- */

static void write_members(dmd_bundlewriter_t *w, const dmd_types_t *types, uint32_t type) {
  uint32_t n = dmd_type_at(types, type)->n_members;
  dmd_bundlewriter_number(w, n);
  for (uint32_t i = 0; i < n; i++) {
    const dmd_type_member_t *member = dmd_types_member(types, type, i);
    dmd_bundlewriter_number(w, member->name);
    dmd_bundlewriter_number(w, member->type);
    dmd_bundlewriter_number(w, member->offset);
  }
}

void dmd_imagetypes_write(dmd_bundlewriter_t *w, const dmd_types_t *types) {
  dmd_bundlewriter_interned(w, &types->names);
  dmd_bundlewriter_number(w, types->pointer_szB);
  dmd_bundlewriter_number(w, types->pool.last);
  for (uint32_t id = 1; id <= types->pool.last; id++) {
    const dmd_type_t *type = dmd_type_at(types, id);
    dmd_bundlewriter_number(w, type->kind);
    dmd_bundlewriter_number(w, type->name);
    dmd_bundlewriter_number(w, type->target);
    dmd_bundlewriter_number(w, type->szB);
    dmd_bundlewriter_number(w, type->count);
    dmd_bundlewriter_number(w, type->layout);
  }
  for (uint32_t id = 1; id <= types->pool.last; id++)
    write_members(w, types, id);
}

static void read_members(dmd_bundlecursor_t *c, dmd_types_t *types, uint32_t type) {
  uint32_t n = dmd_bundlecursor_count(c), n_names = dmd_intern_count(&types->names);
  if (n == 0)
    return;
  dmd_type_member_t *members = dmd_env_alloc(types->env, "dmd.image", n * sizeof *members);
  for (uint32_t i = 0; i < n; i++)
    members[i] = (dmd_type_member_t){.name = dmd_bundlecursor_id(c, n_names),
                                     .type = dmd_bundlecursor_id(c, types->pool.last),
                                     .offset = dmd_bundlecursor_number(c)};
  if (!c->failed)
    dmd_types_set_members(types, type, members, n);
  dmd_env_free(types->env, members);
}

/* A type refers only to earlier types, except in its members. */
static void read_type(dmd_bundlecursor_t *c, dmd_types_t *types, uint32_t id) {
  dmd_type_t type = {.kind = (uint8_t)dmd_bundlecursor_up_to(c, DMD_TYPE_ARRAY),
                     .name = dmd_bundlecursor_id(c, dmd_intern_count(&types->names)),
                     .target = dmd_bundlecursor_id(c, id - 1),
                     .szB = dmd_bundlecursor_number(c),
                     .count = dmd_bundlecursor_number(c),
                     .layout = dmd_bundlecursor_number(c)};
  if (!c->failed && dmd_types_add(types, &type) != id)
    dmd_bundlecursor_fail(c);
}

void dmd_imagetypes_read(dmd_bundlecursor_t *c, dmd_types_t *types) {
  dmd_bundlecursor_interned(c, &types->names, false);
  types->pointer_szB = dmd_bundlecursor_number(c);
  uint32_t n = dmd_bundlecursor_count(c);
  for (uint32_t id = 1; id <= n && !c->failed; id++)
    read_type(c, types, id);
  for (uint32_t id = 1; id <= n && !c->failed; id++)
    read_members(c, types, id);
}

/* ---- Bit fields. ---- */

void dmd_imagebitfields_write(dmd_bundlewriter_t *w, uint32_t graph, const dmd_types_t *types) {
  dmd_bundlewriter_begin(w, DMD_BUNDLE_BIT_FIELDS, graph);
  for (uint32_t id = 1; id <= types->pool.last; id++)
    for (uint32_t i = 0; i < dmd_type_at(types, id)->n_members; i++) {
      uint32_t szB = dmd_types_member(types, id, i)->bits_szB;
      if (szB == 0)
        continue;
      dmd_bundlewriter_number(w, id);
      dmd_bundlewriter_number(w, i);
      dmd_bundlewriter_number(w, szB);
    }
  dmd_bundlewriter_end_section(w);
}

void dmd_imagebitfields_read(dmd_bundlecursor_t *c, dmd_types_t *types) {
  while (!dmd_bundlecursor_is_done(c) && !c->failed) {
    uint32_t id = dmd_bundlecursor_id(c, types->pool.last);
    uint64_t i = dmd_bundlecursor_number(c);
    uint32_t szB = dmd_bundlecursor_id(c, UINT32_MAX);
    if (id == DMD_NONE || i >= dmd_type_at(types, id)->n_members)
      dmd_bundlecursor_fail(c);
    if (!c->failed)
      DMD_POOL_AT(&types->members, dmd_type_member_t,
                  dmd_type_at(types, id)->first_member + (uint32_t)i + 1)
          ->bits_szB = szB;
  }
}

/* ---- Variables. ---- */

void dmd_imagevariables_write(dmd_bundlewriter_t *w, uint32_t graph,
                              const dmd_knownvariables_t *known) {
  dmd_bundlewriter_begin(w, DMD_BUNDLE_VARIABLES, graph);
  dmd_bundlewriter_number(w, dmd_knownvariables_count(known));
  for (uint32_t i = 1; i <= dmd_knownvariables_count(known); i++) {
    const dmd_known_variable_t *variable = dmd_knownvariables_at(known, i);
    dmd_bundlewriter_number(w, variable->object);
    dmd_bundlewriter_number(w, variable->addr);
    dmd_bundlewriter_number(w, variable->type);
    dmd_bundlewriter_string(w, dmd_intern_get_str(&known->names, variable->name));
  }
  dmd_bundlewriter_end_section(w);
}

void dmd_imagevariables_read(dmd_bundlecursor_t *c, dmd_knownvariables_t *known, uint32_t n_objects,
                             uint32_t n_types) {
  for (uint32_t n = dmd_bundlecursor_count(c); n > 0 && !c->failed; n--) {
    uint32_t object = dmd_bundlecursor_id(c, n_objects);
    uint64_t addr = dmd_bundlecursor_number(c);
    uint32_t type = dmd_bundlecursor_id(c, n_types);
    uint32_t name = dmd_bundlecursor_string(c, &known->names, true);
    if (name == DMD_NONE)
      dmd_bundlecursor_fail(c);
    if (!c->failed)
      dmd_knownvariables_add(known, object, addr, type, dmd_intern_get_str(&known->names, name));
  }
}
