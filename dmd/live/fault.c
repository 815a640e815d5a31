/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/fault.h"

#include "base/mem.h"

static uint64_t hash_of(const dmd_fault_t *f) {
  return dmd_hash_u64(dmd_hash_u64(f->kind ^ (uint64_t)f->stack << 32) ^ f->reporter);
}

static bool fault_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_fault_t *a = dmd_faults_at(owner, id), *b = key;
  return a->kind == b->kind && a->stack == b->stack && a->reporter == b->reporter;
}

void dmd_faults_init(dmd_faults_t *faults, const dmd_env_t *env) {
  dmd_pool_init(&faults->pool, env, "dmd.faults", sizeof(dmd_fault_t));
  dmd_table_init(&faults->index, env, "dmd.faults.index", fault_equal, faults);
}

void dmd_faults_destroy(dmd_faults_t *faults) {
  dmd_table_destroy(&faults->index);
  dmd_pool_destroy(&faults->pool);
}

bool dmd_faults_add(dmd_faults_t *faults, dmd_fault_kind_t kind, uint32_t stack,
                    uint32_t reporter) {
  dmd_fault_t key = {.num = 0, .kind = kind, .stack = stack, .reporter = reporter};
  uint32_t id = dmd_table_find(&faults->index, hash_of(&key), &key);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&faults->pool);
    *DMD_POOL_AT(&faults->pool, dmd_fault_t, id) = key;
    dmd_table_add(&faults->index, hash_of(&key), id);
  }
  return ++DMD_POOL_AT(&faults->pool, dmd_fault_t, id)->num == 1;
}
