/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pool.h: many elements of one size, named by a 32-bit id.
 *
 * Elements live in segments of 1,024 that never move: a pointer stays good until its element is
 * released, growth copies nothing but the list of segments, and an id takes half the room of a
 * pointer. Ids count from 1; 0 (DMD_NONE) names no element, so that a zeroed field means "none".
 * Released elements are handed out again, last in first out. In a pool from which nothing was
 * released, ids are 1, 2, 3 ... in order: such a pool is also a growing array.
 *
 * Cost: adding, releasing and reaching an element take constant time.
 *
 * Concurrency: nothing locks. Adding and releasing need the pool to themselves, and reaching an
 * element does too while somebody adds: elements stay, but the list of segments moves when it
 * grows.
 */
#ifndef DMD_BASE_POOL_H
#define DMD_BASE_POOL_H

#include "base/env.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

#define DMD_NONE 0u
#define DMD_POOL_SHIFT 10
#define DMD_POOL_SEGMENT (1u << DMD_POOL_SHIFT)

typedef struct dmd_pool {
  const dmd_env_t *env;
  const char *cost_centre;
  size_t element_szB;
  char **segments;
  uint32_t n_segments;   /* in use */
  uint32_t max_segments; /* that the list has room for */
  uint32_t last;         /* the highest id ever handed out */
  uint32_t free;         /* head of the list of released elements */
  bool is_borrowed;      /* the elements are somebody else's */
} dmd_pool_t;

/* element_szB is at least 4: a released element holds the id of the next one. */
void dmd_pool_init(dmd_pool_t *pool, const dmd_env_t *env, const char *cost_centre,
                   size_t element_szB);
void dmd_pool_destroy(dmd_pool_t *pool);

/* In place of init: a pool of n elements that lie in a row and stay where they are, aligned as they
 * must be. None may be added or released. */
void dmd_pool_borrow(dmd_pool_t *pool, const dmd_env_t *env, const char *cost_centre,
                     size_t element_szB, void *elements, uint32_t n);

/* The id of a new element, whose contents are undefined. Panics after 2^32 - 1 elements. */
uint32_t dmd_pool_add(dmd_pool_t *pool);
void dmd_pool_release(dmd_pool_t *pool, uint32_t id);

/* For a pool that is an array over ids of something else, and of which nothing is released: adds
 * elements, all zero, until there is one with this id. */
void dmd_pool_reach(dmd_pool_t *pool, uint32_t id);

/* For the last walk through a pool, in order: elements up to this one will not be used again. Frees
 * the segments that are behind as a whole. */
void dmd_pool_pass(dmd_pool_t *pool, uint32_t id);

/* For a pool of which nothing was released: ids begin anew. What is in an element stays until it is
 * handed out again. */
static inline void dmd_pool_rewind(dmd_pool_t *pool) {
  pool->last = 0;
}

/* The element with this id, which must be one that was handed out. */
static inline void *dmd_pool_at(const dmd_pool_t *pool, uint32_t id) {
  uint32_t i = id - 1;
  return pool->segments[i >> DMD_POOL_SHIFT] + (i & (DMD_POOL_SEGMENT - 1)) * pool->element_szB;
}

/* The same with the element's type known, which spares the multiplication. Evaluates id twice. */
#define DMD_POOL_AT(pool, type, id)                                                                \
  ((type *)(void *)(pool)->segments[((id)-1) >> DMD_POOL_SHIFT] +                                  \
   (((id)-1) & (DMD_POOL_SEGMENT - 1)))

/* As dmd_pool_add and dmd_pool_release, for where a call is much: of elements of this size, which
 * the compiler knows. */
static inline uint32_t dmd_pool_add_sized(dmd_pool_t *pool, size_t element_szB) {
  uint32_t id = pool->free;
  if (id == DMD_NONE)
    return dmd_pool_add(pool);
  const char *segment = pool->segments[(id - 1) >> DMD_POOL_SHIFT];
  dmd_mem_copy(&pool->free, segment + ((id - 1) & (DMD_POOL_SEGMENT - 1)) * element_szB,
               sizeof pool->free);
  return id;
}

static inline void dmd_pool_release_sized(dmd_pool_t *pool, uint32_t id, size_t element_szB) {
  char *segment = pool->segments[(id - 1) >> DMD_POOL_SHIFT];
  dmd_mem_copy(segment + ((id - 1) & (DMD_POOL_SEGMENT - 1)) * element_szB, &pool->free,
               sizeof pool->free);
  pool->free = id;
}

#endif
