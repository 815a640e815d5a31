/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * slab_memory.h: memory for slabs in tests: addresses without real memory, which is never read.
 */
#ifndef TESTS_UNIT_SLAB_MEMORY_H
#define TESTS_UNIT_SLAB_MEMORY_H

#include "host.h"

#include "record/heap/slabs.h"

typedef struct slab_memory {
  uint64_t base, apart; /* the address of the first slab, and from one to the next */
  bool is_out[100];
} slab_memory_t;

static inline uint64_t slab_memory_take(void *ctx) {
  slab_memory_t *memory = ctx;
  for (size_t i = 0; i < COUNT_OF(memory->is_out); i++)
    if (!memory->is_out[i]) {
      memory->is_out[i] = true;
      return memory->base + i * memory->apart;
    }
  return 0;
}

static inline void slab_memory_give_back(void *ctx, uint64_t addr) {
  slab_memory_t *memory = ctx;
  size_t i = (addr - memory->base) / memory->apart;
  assert_true(memory->is_out[i]);
  memory->is_out[i] = false;
}

/* Slabs from such addresses; memory must stay where it is. */
static inline void slab_memory_init(slab_memory_t *memory, uint64_t base, uint64_t apart,
                                    dmd_slabs_t *slabs, const dmd_env_t *env) {
  *memory = (slab_memory_t){.base = base, .apart = apart};
  dmd_slabs_init(slabs, env, &(dmd_slab_source_t){slab_memory_take, slab_memory_give_back, memory});
}

#endif
