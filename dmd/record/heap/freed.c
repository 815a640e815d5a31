/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/freed.h"

#include "base/mem.h"

void dmd_freed_init(dmd_freed_t *freed, const dmd_env_t *env, uint32_t max) {
  dmd_mem_zero(freed, sizeof *freed);
  freed->env = env;
  freed->max = max;
  if (max > 0)
    freed->ring = dmd_env_alloc(env, "dmd.freed", max * sizeof *freed->ring);
}

void dmd_freed_destroy(dmd_freed_t *freed) {
  dmd_env_free(freed->env, freed->ring);
  dmd_mem_zero(freed, sizeof *freed);
}

const dmd_freed_block_t *dmd_freed_find(const dmd_freed_t *freed, uint64_t addr) {
  uint32_t n = freed->is_full ? freed->max : freed->next;
  for (uint32_t i = 1; i <= n; i++) {
    const dmd_freed_block_t *block = &freed->ring[(freed->next + freed->max - i) % freed->max];
    if (block->addr == addr)
      return block;
  }
  return NULL;
}
