/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * freed.h: the blocks that were freed last, to find out what a stale pointer pointed to.
 *
 * A ring of a fixed number of blocks. Looking one up goes through the ring, newest first; it
 * happens only when a report is wrong already.
 *
 * Concurrency: that of blocks.h, of which it is a part.
 */
#ifndef DMD_LIVE_FREED_H
#define DMD_LIVE_FREED_H

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
  dmd_freed_block_t *ring; /* NULL: none are remembered */
  uint32_t max, next;      /* blocks that it holds; the place of the next */
  bool is_full;
} dmd_freed_t;

/* max: blocks to remember; 0: none ever. */
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

/* The block that started at addr and was freed last, or NULL. */
const dmd_freed_block_t *dmd_freed_find(const dmd_freed_t *freed, uint64_t addr);

#endif
