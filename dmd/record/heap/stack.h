/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * stack.h: a map from the host's stack ids to one pointer-sized value each.
 *
 * Ids are numbers above 0, preferably dense. A value is 0 if none was set. The map is an array that
 * grows in pages of 4,096; setting and getting take constant time.
 *
 * Concurrency: setting needs exclusive access, and so does getting while another thread may set:
 * the list of pages moves when it grows.
 */
#ifndef DMD_RECORD_HEAP_STACK_H
#define DMD_RECORD_HEAP_STACK_H

#include "base/env.h"

#include <stdint.h>

#define DMD_STACK_PAGE_SHIFT 12

typedef struct dmd_stacks {
  const dmd_env_t *env;
  uintptr_t **pages; /* an entry is NULL if nothing in the page was set */
  uint32_t n_pages;
} dmd_stacks_t;

void dmd_stacks_init(dmd_stacks_t *stacks, const dmd_env_t *env);
void dmd_stacks_destroy(dmd_stacks_t *stacks);

/* The value for this id; 0 if none was set. */
static inline uintptr_t dmd_stacks_get(const dmd_stacks_t *stacks, uint32_t id) {
  uint32_t page = id >> DMD_STACK_PAGE_SHIFT;
  if (page >= stacks->n_pages || stacks->pages[page] == NULL)
    return 0;
  return stacks->pages[page][id & ((1u << DMD_STACK_PAGE_SHIFT) - 1)];
}

void dmd_stacks_set(dmd_stacks_t *stacks, uint32_t id, uintptr_t value);

#endif
