/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/pool.h"

#include "base/mem.h"

void dmd_pool_init(dmd_pool_t *pool, const dmd_env_t *env, const char *cost_centre,
                   size_t element_szB) {
  dmd_mem_zero(pool, sizeof *pool);
  pool->env = env;
  pool->cost_centre = cost_centre;
  pool->element_szB = element_szB;
}

void dmd_pool_destroy(dmd_pool_t *pool) {
  for (uint32_t i = 0; i < pool->n_segments && !pool->is_borrowed; i++)
    dmd_env_free(pool->env, pool->segments[i]);
  dmd_env_free(pool->env, pool->segments);
  pool->segments = NULL;
  pool->n_segments = pool->max_segments = 0;
  pool->last = pool->free = 0;
}

void dmd_pool_borrow(dmd_pool_t *pool, const dmd_env_t *env, const char *cost_centre,
                     size_t element_szB, void *elements, uint32_t n) {
  dmd_pool_init(pool, env, cost_centre, element_szB);
  pool->is_borrowed = true;
  pool->last = n;
  uint32_t n_segments = n / DMD_POOL_SEGMENT + (n % DMD_POOL_SEGMENT != 0);
  if (n_segments == 0)
    return;
  pool->segments = dmd_env_alloc(env, cost_centre, n_segments * sizeof *pool->segments);
  pool->n_segments = pool->max_segments = n_segments;
  for (uint32_t i = 0; i < n_segments; i++)
    pool->segments[i] = (char *)elements + (size_t)i * DMD_POOL_SEGMENT * element_szB;
}

static void add_segment(dmd_pool_t *pool) {
  if (pool->n_segments == pool->max_segments) {
    uint32_t max = pool->max_segments == 0 ? 8 : pool->max_segments * 2;
    char **list = dmd_env_alloc(pool->env, pool->cost_centre, max * sizeof *list);
    dmd_mem_copy(list, pool->segments, pool->n_segments * sizeof *list);
    dmd_env_free(pool->env, pool->segments);
    pool->segments = list;
    pool->max_segments = max;
  }
  pool->segments[pool->n_segments] =
      dmd_env_alloc(pool->env, pool->cost_centre, pool->element_szB * DMD_POOL_SEGMENT);
  pool->n_segments++;
}

uint32_t dmd_pool_add(dmd_pool_t *pool) {
  if (pool->free != DMD_NONE) {
    uint32_t id = pool->free;
    dmd_mem_copy(&pool->free, dmd_pool_at(pool, id), sizeof pool->free);
    return id;
  }
  if (pool->last == UINT32_MAX)
    pool->env->panic(pool->env->ctx, "more than 2^32 elements of one kind");
  if (pool->last == pool->n_segments << DMD_POOL_SHIFT)
    add_segment(pool);
  return ++pool->last;
}

void dmd_pool_release(dmd_pool_t *pool, uint32_t id) {
  dmd_mem_copy(dmd_pool_at(pool, id), &pool->free, sizeof pool->free);
  pool->free = id;
}

void dmd_pool_pass(dmd_pool_t *pool, uint32_t id) {
  if (id % DMD_POOL_SEGMENT != 0)
    return;
  char **segment = &pool->segments[id / DMD_POOL_SEGMENT - 1];
  dmd_env_free(pool->env, *segment);
  *segment = NULL;
}

void dmd_pool_reach(dmd_pool_t *pool, uint32_t id) {
  while (pool->last < id)
    dmd_mem_zero(dmd_pool_at(pool, dmd_pool_add(pool)), pool->element_szB);
}

/* ---- Numbering. ---- */

void dmd_numbering_init(dmd_numbering_t *n, const dmd_env_t *env, const char *cost_centre) {
  dmd_pool_init(&n->numbers, env, cost_centre, sizeof(uint32_t));
  dmd_pool_init(&n->ids, env, cost_centre, sizeof(uint32_t));
}

void dmd_numbering_destroy(dmd_numbering_t *n) {
  dmd_pool_destroy(&n->ids);
  dmd_pool_destroy(&n->numbers);
}

uint32_t dmd_numbering_add(dmd_numbering_t *n, uint32_t id) {
  dmd_pool_reach(&n->numbers, id);
  uint32_t number = dmd_pool_add(&n->ids);
  *DMD_POOL_AT(&n->numbers, uint32_t, id) = number;
  *DMD_POOL_AT(&n->ids, uint32_t, number) = id;
  return number;
}
