/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/knownvariables.h"

static bool is_same(const void *owner, uint32_t id, const void *key) {
  const dmd_known_variable_t *a = dmd_knownvariables_at(owner, id), *b = key;
  return a->addr == b->addr && a->object == b->object && a->type == b->type;
}

static uint64_t hash_of(const dmd_knownvariables_t *known, const dmd_known_variable_t *key) {
  uint64_t h = dmd_table_hash(&known->index, key->addr);
  return dmd_hash_u64(h ^ key->object ^ (uint64_t)key->type << 32);
}

/* dmd_variable_namer_t.name */
static bool name_known(void *ctx, uint32_t object, uint64_t addr, uint32_t type, dmd_strbuf_t *to) {
  const dmd_knownvariables_t *known = ctx;
  const dmd_known_variable_t key = {.addr = addr, .object = object, .type = type};
  uint32_t id = dmd_table_find(&known->index, hash_of(known, &key), &key);
  if (id != DMD_NONE)
    dmd_strbuf_str(to, dmd_intern_get_str(&known->names, dmd_knownvariables_at(known, id)->name));
  return id != DMD_NONE;
}

void dmd_knownvariables_init(dmd_knownvariables_t *known, const dmd_env_t *env) {
  dmd_intern_init(&known->names, env, "dmd.knownvariables");
  dmd_pool_init(&known->variables, env, "dmd.knownvariables", sizeof(dmd_known_variable_t));
  dmd_table_init(&known->index, env, "dmd.knownvariables", is_same, known);
  known->namer = (dmd_variable_namer_t){.name = name_known, .ctx = known};
}

void dmd_knownvariables_destroy(dmd_knownvariables_t *known) {
  dmd_table_destroy(&known->index);
  dmd_pool_destroy(&known->variables);
  dmd_intern_destroy(&known->names);
}

void dmd_knownvariables_add(dmd_knownvariables_t *known, uint32_t object, uint64_t addr,
                            uint32_t type, const char *name) {
  dmd_known_variable_t variable = {.addr = addr, .object = object, .type = type};
  uint64_t hash = hash_of(known, &variable);
  if (dmd_table_find(&known->index, hash, &variable) != DMD_NONE)
    return;
  variable.name = dmd_intern_str(&known->names, name);
  uint32_t id = dmd_pool_add(&known->variables);
  *DMD_POOL_AT(&known->variables, dmd_known_variable_t, id) = variable;
  dmd_table_add(&known->index, hash, id);
}

/* ---- Collecting. ---- */

typedef struct {
  dmd_knownvariables_t *known;
  const dmd_variable_namer_t *asked;
} collector_t;

/* dmd_variable_namer_t.name: queries another namer, and keeps the answer. */
static bool name_and_keep(void *ctx, uint32_t object, uint64_t addr, uint32_t type,
                          dmd_strbuf_t *to) {
  const collector_t *c = ctx;
  size_t before = to->n;
  if (!c->asked->name(c->asked->ctx, object, addr, type, to))
    return false;
  dmd_knownvariables_add(c->known, object, addr, type, to->text + before);
  return true;
}

void dmd_knownvariables_collect(dmd_knownvariables_t *known, const dmd_owners_t *owners,
                                const dmd_variable_namer_t *asked) {
  collector_t collector = {.known = known, .asked = asked};
  const dmd_variable_namer_t namer = {.name = name_and_keep, .ctx = &collector};
  for (uint32_t id = 1; id <= owners->pool.last; id++) {
    dmd_proposal_t proposal;
    dmd_proposal_init(&proposal, owners, DMD_POOL_AT(&owners->pool, const dmd_ownership_t, id),
                      &namer);
    dmd_proposal_destroy(&proposal);
  }
}
