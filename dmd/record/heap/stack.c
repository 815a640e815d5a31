/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/stack.h"

#include "base/mem.h"

void dmd_stacks_init(dmd_stacks_t *stacks, const dmd_env_t *env) {
  stacks->env = env;
  stacks->pages = NULL;
  stacks->n_pages = 0;
}

void dmd_stacks_destroy(dmd_stacks_t *stacks) {
  for (uint32_t i = 0; i < stacks->n_pages; i++)
    dmd_env_free(stacks->env, stacks->pages[i]);
  dmd_env_free(stacks->env, stacks->pages);
  dmd_stacks_init(stacks, stacks->env);
}

/* Grows the list of pages to include this one. */
static void grow(dmd_stacks_t *stacks, uint32_t page) {
  uint32_t n = stacks->n_pages == 0 ? 16 : stacks->n_pages;
  while (n <= page)
    n *= 2;
  uintptr_t **pages = dmd_env_alloc(stacks->env, "dmd.stacks", n * sizeof *pages);
  dmd_mem_zero(pages, n * sizeof *pages);
  dmd_mem_copy(pages, stacks->pages, stacks->n_pages * sizeof *pages);
  dmd_env_free(stacks->env, stacks->pages);
  stacks->pages = pages;
  stacks->n_pages = n;
}

void dmd_stacks_set(dmd_stacks_t *stacks, uint32_t id, uintptr_t value) {
  enum { PAGE = 1 << DMD_STACK_PAGE_SHIFT };
  uint32_t page = id >> DMD_STACK_PAGE_SHIFT;
  if (page >= stacks->n_pages)
    grow(stacks, page);
  if (stacks->pages[page] == NULL) {
    stacks->pages[page] = dmd_env_alloc(stacks->env, "dmd.stacks.page", PAGE * sizeof(uintptr_t));
    dmd_mem_zero(stacks->pages[page], PAGE * sizeof(uintptr_t));
  }
  stacks->pages[page][id & (PAGE - 1)] = value;
}
