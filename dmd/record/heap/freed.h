/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * freed.h: remembers the blocks freed last, to find out what a stale pointer pointed to.
 *
 * A ring of fixed size. A look-up searches it, newest first, and happens only if a report is
 * already known to be wrong. A part of blocks.h, which says which lock guards it.
 */
#ifndef DMD_RECORD_HEAP_FREED_H
#define DMD_RECORD_HEAP_FREED_H

#include "base/env.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct dmd_freed_block {
  uint64_t addr;
  uint64_t usable;           /* bytes */
  uint32_t allocated, freed; /* stack ids; freed may be DMD_NONE */
} dmd_freed_block_t;

typedef struct dmd_freed {
  const dmd_env_t *env;
  dmd_freed_block_t *ring; /* NULL: nothing is remembered */
  uint32_t max, next;      /* capacity; place of the next block */
  bool is_full;
} dmd_freed_t;

/* max: number of blocks to remember; 0: none. */
void dmd_freed_init(dmd_freed_t *freed, const dmd_env_t *env, uint32_t max);
void dmd_freed_destroy(dmd_freed_t *freed);

static inline void dmd_freed_add(dmd_freed_t *freed, const dmd_freed_block_t *block) {
  if (freed->ring == NULL)
    return;
  freed->ring[freed->next++] = *block;
  if (freed->next == freed->max) {
    freed->next = 0;
    freed->is_full = true;
  }
}

/* The most recently freed block that started at addr, or NULL. */
const dmd_freed_block_t *dmd_freed_find(const dmd_freed_t *freed, uint64_t addr);

#endif
