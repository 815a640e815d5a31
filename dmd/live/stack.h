/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * stack.h: one value for each of the host's stacks, by the stack's id.
 *
 * Ids are the host's: any numbers above 0, best dense ones. A value has the size of a pointer, and
 * is 0 where none was set. The map is an array that grows in pages of 4,096. Setting and getting
 * take constant time.
 *
 * Concurrency: nothing locks. Setting needs the map to itself, and getting does too while somebody
 * sets: the list of pages moves when it grows.
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

/* The value of this id; 0 when none was set. */
static inline uintptr_t dmd_stacks_get(const dmd_stacks_t *stacks, uint32_t id) {
  uint32_t page = id >> DMD_STACK_PAGE_SHIFT;
  if (page >= stacks->n_pages || stacks->pages[page] == NULL)
    return 0;
  return stacks->pages[page][id & ((1u << DMD_STACK_PAGE_SHIFT) - 1)];
}

void dmd_stacks_set(dmd_stacks_t *stacks, uint32_t id, uintptr_t value);

#endif
