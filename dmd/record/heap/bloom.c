/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/bloom.h"

enum { STUCK = UINT8_MAX };

dmd_bloom_t *dmd_bloom_create(const dmd_env_t *env) {
  dmd_bloom_t *marks = dmd_env_alloc(env, "dmd.marks", sizeof *marks);
  dmd_mem_zero(marks, sizeof *marks);
  marks->env = env;
  return marks;
}

void dmd_bloom_destroy(dmd_bloom_t *marks) {
  if (marks != NULL)
    dmd_env_free(marks->env, marks);
}

static void change(uint8_t *count, int by) {
  uint8_t before = __atomic_load_n(count, __ATOMIC_RELAXED);
  while (before != STUCK && !__atomic_compare_exchange_n(count, &before, (uint8_t)(before + by),
                                                         true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
}

void dmd_bloom_add(dmd_bloom_t *marks, uint64_t addr) {
  change(dmd_bloom_page(marks, addr), 1);
  change(dmd_bloom_start(marks, addr), 1);
}

void dmd_bloom_remove(dmd_bloom_t *marks, uint64_t addr) {
  change(dmd_bloom_page(marks, addr), -1);
  change(dmd_bloom_start(marks, addr), -1);
}
