/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * stack.h: small ids for the host's stacks.
 *
 * The host captures and interns stacks (the tool: Valgrind's ExeContexts, each with a 32-bit number
 * of its own) and knows each by a pointer-sized handle. A block has room for an id only, and the
 * way back from an id to a handle is slow in Valgrind: this is that way back.
 *
 * Ids may be any numbers above 0, best dense ones: the map is an array that grows in pages of
 * 4,096. Setting and getting take constant time.
 */
#ifndef DMD_LIVE_STACK_H
#define DMD_LIVE_STACK_H

#include "base/env.h"

#include <stdint.h>

#define DMD_STACK_PAGE_SHIFT 12

typedef struct dmd_stacks {
  const dmd_env_t *env;
  uintptr_t **pages; /* NULL where nothing was set */
  uint32_t n_pages;
} dmd_stacks_t;

void dmd_stacks_init(dmd_stacks_t *stacks, const dmd_env_t *env);
void dmd_stacks_destroy(dmd_stacks_t *stacks);

/* The handle of this id; 0 when none was set. */
static inline uintptr_t dmd_stacks_get(const dmd_stacks_t *stacks, uint32_t id) {
  uint32_t page = id >> DMD_STACK_PAGE_SHIFT;
  if (page >= stacks->n_pages || stacks->pages[page] == NULL)
    return 0;
  return stacks->pages[page][id & ((1u << DMD_STACK_PAGE_SHIFT) - 1)];
}

void dmd_stacks_set(dmd_stacks_t *stacks, uint32_t id, uintptr_t handle);

#endif
