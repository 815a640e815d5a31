/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/fault.h"

#include "base/mem.h"

static const struct {
  const char *name, *text;
} fault_words[DMD_N_FAULTS] = {
    [DMD_FAULT_INVALID_FREE] = {"invalid-free", "invalid free"},
    [DMD_FAULT_INVALID_REALLOC] = {"invalid-realloc", "invalid realloc"},
    [DMD_FAULT_REPORT_INTERIOR] = {"report-interior", "report of an interior pointer"},
    [DMD_FAULT_REPORT_NO_BLOCK] = {"report-no-block", "report of no live block"},
    [DMD_FAULT_SCOPE_UNDERFLOW] = {"scope-underflow", "end of a scope that had not begun"},
    [DMD_FAULT_ABSURD_SIZE] = {"absurd-size", "allocation of a negative size"},
    [DMD_FAULT_MEMORY_REPORT_REFUSED] = {"memory-report-refused", "memory report that was refused"},
};

const char *dmd_fault_name(dmd_fault_kind_t kind) {
  return fault_words[kind].name;
}

const char *dmd_fault_text(dmd_fault_kind_t kind) {
  return fault_words[kind].text;
}

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

bool dmd_faults_add(dmd_faults_t *faults, const dmd_fault_t *fault) {
  uint64_t hash = hash_of(fault);
  uint32_t id = dmd_table_find(&faults->index, hash, fault);
  if (id != DMD_NONE) {
    DMD_POOL_AT(&faults->pool, dmd_fault_t, id)->num += fault->num;
    return false;
  }
  id = dmd_pool_add(&faults->pool);
  *DMD_POOL_AT(&faults->pool, dmd_fault_t, id) = *fault;
  dmd_table_add(&faults->index, hash, id);
  return true;
}
