/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/hint.h"

#include "base/mem.h"

const char *dmd_holder_kind_name(dmd_holder_kind_t kind) {
  static const char *const names[DMD_N_HOLDER_KINDS] = {
      "reported", "unreported", "last-time", "nothing-now", "not-run", "before-realloc"};
  return names[kind];
}

static uint64_t hash_of(const dmd_hints_t *advices, const dmd_hint_t *a) {
  uint64_t h = dmd_table_hash(&advices->index, a->alloc ^ (uint64_t)a->stack << 32);
  return dmd_hash_u64(h ^ a->offset ^ (uint64_t)a->reporter << 32 ^ (uint64_t)a->holder_kind << 31);
}

static bool advice_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_hint_t *a = dmd_hints_at(owner, id), *b = key;
  return a->alloc == b->alloc && a->holder_kind == b->holder_kind && a->reporter == b->reporter &&
         a->stack == b->stack && a->offset == b->offset;
}

void dmd_hints_init(dmd_hints_t *advices, const dmd_env_t *env) {
  dmd_pool_init(&advices->pool, env, "dmd.advices", sizeof(dmd_hint_t));
  dmd_table_init(&advices->index, env, "dmd.advices.index", advice_equal, advices);
}

void dmd_hints_destroy(dmd_hints_t *advices) {
  dmd_table_destroy(&advices->index);
  dmd_pool_destroy(&advices->pool);
}

void dmd_hint_count(dmd_hint_t *sum, const dmd_hint_t *advice) {
  sum->blocks += advice->blocks;
  sum->bytes += advice->bytes;
  sum->pointed += advice->pointed;
  sum->holders += advice->holders;
  sum->holders_alike += advice->holders_alike;
  sum->before = sum->before > advice->before ? sum->before : advice->before;
}

void dmd_hints_add(dmd_hints_t *advices, const dmd_hint_t *advice) {
  uint64_t hash = hash_of(advices, advice);
  uint32_t id = dmd_table_find(&advices->index, hash, advice);
  if (id != DMD_NONE) {
    dmd_hint_t *known = DMD_POOL_AT(&advices->pool, dmd_hint_t, id);
    dmd_hint_count(known, advice);
    return;
  }
  id = dmd_pool_add(&advices->pool);
  *DMD_POOL_AT(&advices->pool, dmd_hint_t, id) = *advice;
  dmd_table_add(&advices->index, hash, id);
}

/* A member of a structure is in many structures of its kind. A pointer left over in reused memory
 * is in one or two; in a list it leads to all nodes, so few pointers to many blocks are no evidence
 * either. */
dmd_evidence_t dmd_hint_evidence(const dmd_hint_t *counts) {
  enum { MANY = 4, TENTH = 10 };
  if (counts->holders >= counts->holders_alike / TENTH + (counts->holders_alike % TENTH != 0))
    return DMD_EVIDENCE_STRONG;
  bool many = counts->pointed >= MANY && counts->pointed >= counts->blocks / TENTH;
  return many ? DMD_EVIDENCE_WEAK : DMD_EVIDENCE_CHANCE;
}

uint64_t dmd_hint_weight(uint64_t bytes, dmd_evidence_t evidence) {
  return evidence == DMD_EVIDENCE_STRONG ? bytes : evidence == DMD_EVIDENCE_WEAK ? bytes / 2 : 0;
}

void dmd_hint_translate(dmd_hint_t *advice, dmd_translate_fn stack, dmd_translate_fn name,
                        void *ctx) {
  dmd_translate(&advice->alloc, stack, ctx);
  dmd_translate(&advice->stack, stack, ctx);
  dmd_translate(&advice->reporter, name, ctx);
}
