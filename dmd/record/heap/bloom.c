/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/bloom.h"

enum { STUCK = UINT8_MAX };

dmd_bloom_t *dmd_bloom_create(const dmd_env_t *env) {
  dmd_bloom_t *bloom = dmd_env_alloc(env, "dmd.bloom", sizeof *bloom);
  dmd_mem_zero(bloom, sizeof *bloom);
  bloom->env = env;
  return bloom;
}

void dmd_bloom_destroy(dmd_bloom_t *bloom) {
  if (bloom != NULL)
    dmd_env_free(bloom->env, bloom);
}

static void change(uint8_t *count, int by) {
  uint8_t before = __atomic_load_n(count, __ATOMIC_RELAXED);
  while (before != STUCK && !__atomic_compare_exchange_n(count, &before, (uint8_t)(before + by),
                                                         true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
}

void dmd_bloom_add(dmd_bloom_t *bloom, uint64_t addr) {
  change(dmd_bloom_page(bloom, addr), 1);
  change(dmd_bloom_start(bloom, addr), 1);
}

void dmd_bloom_remove(dmd_bloom_t *bloom, uint64_t addr) {
  change(dmd_bloom_page(bloom, addr), -1);
  change(dmd_bloom_start(bloom, addr), -1);
}
