/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/hint.h"

#include "base/mem.h"

const char *dmd_referrer_kind_name(dmd_referrer_kind_t kind) {
  static const char *const names[DMD_N_REFERRER_KINDS] = {
      "reported", "unreported", "last-time", "nothing-now", "not-run", "before-realloc"};
  return names[kind];
}

static uint64_t hash_of(const dmd_hints_t *hints, const dmd_hint_t *a) {
  uint64_t h = dmd_table_hash(&hints->index, a->alloc ^ (uint64_t)a->stack << 32);
  return dmd_hash_u64(h ^ a->offset ^ (uint64_t)a->reporter << 32 ^
                      (uint64_t)a->referrer_kind << 31);
}

static bool hint_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_hint_t *a = dmd_hints_at(owner, id), *b = key;
  return a->alloc == b->alloc && a->referrer_kind == b->referrer_kind &&
         a->reporter == b->reporter && a->stack == b->stack && a->offset == b->offset;
}

void dmd_hints_init(dmd_hints_t *hints, const dmd_env_t *env) {
  dmd_pool_init(&hints->pool, env, "dmd.advices", sizeof(dmd_hint_t));
  dmd_table_init(&hints->index, env, "dmd.advices.index", hint_equal, hints);
}

void dmd_hints_destroy(dmd_hints_t *hints) {
  dmd_table_destroy(&hints->index);
  dmd_pool_destroy(&hints->pool);
}

void dmd_hint_count(dmd_hint_t *sum, const dmd_hint_t *hint) {
  sum->blocks += hint->blocks;
  sum->bytes += hint->bytes;
  sum->pointed += hint->pointed;
  sum->referrers += hint->referrers;
  sum->referrers_alike += hint->referrers_alike;
  sum->before = sum->before > hint->before ? sum->before : hint->before;
}

void dmd_hints_add(dmd_hints_t *hints, const dmd_hint_t *hint) {
  uint64_t hash = hash_of(hints, hint);
  uint32_t id = dmd_table_find(&hints->index, hash, hint);
  if (id != DMD_NONE) {
    dmd_hint_t *known = DMD_POOL_AT(&hints->pool, dmd_hint_t, id);
    dmd_hint_count(known, hint);
    return;
  }
  id = dmd_pool_add(&hints->pool);
  *DMD_POOL_AT(&hints->pool, dmd_hint_t, id) = *hint;
  dmd_table_add(&hints->index, hash, id);
}

/* A member of a structure is in many structures of its kind. A pointer left over in reused memory
 * is in one or two; in a list it leads to all nodes, so few pointers to many blocks are no evidence
 * either. */
dmd_evidence_t dmd_hint_evidence(const dmd_hint_t *counts) {
  enum { MANY = 4, TENTH = 10 };
  if (counts->referrers >= counts->referrers_alike / TENTH + (counts->referrers_alike % TENTH != 0))
    return DMD_EVIDENCE_STRONG;
  bool many = counts->pointed >= MANY && counts->pointed >= counts->blocks / TENTH;
  return many ? DMD_EVIDENCE_WEAK : DMD_EVIDENCE_CHANCE;
}

uint64_t dmd_hint_weight(uint64_t bytes, dmd_evidence_t evidence) {
  return evidence == DMD_EVIDENCE_STRONG ? bytes : evidence == DMD_EVIDENCE_WEAK ? bytes / 2 : 0;
}

void dmd_hint_translate(dmd_hint_t *hint, dmd_translate_fn stack, dmd_translate_fn name,
                        void *ctx) {
  dmd_translate(&hint->alloc, stack, ctx);
  dmd_translate(&hint->stack, stack, ctx);
  dmd_translate(&hint->reporter, name, ctx);
}
