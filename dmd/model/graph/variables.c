/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/graph/variables.h"

#include "base/sort.h"

void dmd_variables_init(dmd_variables_t *variables, const dmd_env_t *env) {
  *variables = (dmd_variables_t){.env = env};
  dmd_intern_init(&variables->names, env, "dmd.variables");
  dmd_pool_init(&variables->pool, env, "dmd.variables", sizeof(dmd_variable_t));
}

void dmd_variables_destroy(dmd_variables_t *variables) {
  dmd_env_free(variables->env, variables->order);
  dmd_pool_destroy(&variables->pool);
  dmd_intern_destroy(&variables->names);
}

void dmd_variables_add(dmd_variables_t *variables, const dmd_variable_t *variable) {
  if (variable->szB == 0 || variable->addr + variable->szB < variable->addr)
    return;
  uint32_t id = dmd_pool_add(&variables->pool);
  *DMD_POOL_AT(&variables->pool, dmd_variable_t, id) = *variable;
}

static const dmd_variable_t *at(const dmd_variables_t *variables, uint32_t id) {
  return DMD_POOL_AT(&variables->pool, const dmd_variable_t, id);
}

static int by_place(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_variable_t *x = at(ctx, a), *y = at(ctx, b);
  if (x->object != y->object)
    return x->object < y->object ? -1 : 1;
  return (x->addr > y->addr) - (x->addr < y->addr);
}

/* For two that overlap: true if the later one is kept. */
static bool is_better(const dmd_variable_t *later, const dmd_variable_t *earlier) {
  bool is_typed = later->type != DMD_NONE;
  if (is_typed != (earlier->type != DMD_NONE))
    return is_typed;
  return later->szB > earlier->szB;
}

void dmd_variables_sort(dmd_variables_t *variables) {
  uint32_t *order = dmd_sorted_ids(variables->env, variables->pool.last, by_place, variables);
  uint32_t n = 0;
  for (uint32_t i = 0; i < variables->pool.last; i++) {
    const dmd_variable_t *here = at(variables, order[i]);
    const dmd_variable_t *before = n == 0 ? NULL : at(variables, order[n - 1]);
    bool overlaps =
        before != NULL && before->object == here->object && here->addr - before->addr < before->szB;
    if (!overlaps)
      order[n++] = order[i];
    else if (is_better(here, before))
      order[n - 1] = order[i];
  }
  dmd_env_free(variables->env, variables->order);
  variables->order = order;
  variables->n = n;
}

static bool is_before(const dmd_variable_t *variable, uint32_t object, uint64_t addr) {
  return variable->object < object || (variable->object == object && variable->addr < addr);
}

/* The place in the order of the first variable of this object at or above this address, else of the
 * next object's first. */
static uint32_t find(const dmd_variables_t *variables, uint32_t object, uint64_t addr) {
  uint32_t place;
  DMD_SEARCH(place, 0, variables->n,
             is_before(at(variables, variables->order[place]), object, addr));
  return place;
}

dmd_data_part_t dmd_variables_part(const dmd_variables_t *variables, uint32_t object, uint64_t addr,
                                   uint64_t szB) {
  dmd_data_part_t between = {.szB = szB};
  uint32_t place = find(variables, object, addr);
  if (place == variables->n)
    return between;
  const dmd_variable_t *next = at(variables, variables->order[place]);
  if (next->object != object || next->addr - addr >= szB || szB - (next->addr - addr) < next->szB)
    return between;
  if (next->addr > addr)
    return (dmd_data_part_t){.szB = next->addr - addr};
  return (dmd_data_part_t){.szB = next->szB, .variable = next};
}

const dmd_variable_t *dmd_variables_around(const dmd_variables_t *variables, uint32_t object,
                                           uint64_t addr) {
  uint32_t place = addr == UINT64_MAX ? 0 : find(variables, object, addr + 1);
  if (place == 0)
    return NULL;
  const dmd_variable_t *last = at(variables, variables->order[place - 1]);
  return last->object == object && addr - last->addr < last->szB ? last : NULL;
}
