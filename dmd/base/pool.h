/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pool.h: many elements of one size, named by a 32-bit id.
 *
 * Elements live in segments of 1,024 that never move: pointers stay valid until their element is
 * released, growth copies only the list of segments, and an id needs half the space of a pointer.
 * Ids count from 1; 0 (DMD_NONE) names no element, so that a zeroed field means "none". Released
 * elements are reused, last in first out. If nothing was released, ids are 1, 2, 3 ... in order:
 * such a pool is also a growing array.
 *
 * Adding, releasing and accessing an element take constant time.
 *
 * Concurrency: adding and releasing need exclusive access to the pool. Accessing an element needs a
 * lock while another thread may add, since the list of segments moves when it grows.
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
  char **segments;
  uint32_t free;         /* head of the list of released elements */
  uint32_t last;         /* the highest id ever handed out */
  uint32_t n_segments;   /* in use */
  uint32_t max_segments; /* capacity of the list */
  size_t element_szB;
  bool is_borrowed; /* the elements belong to the caller */
  const char *cost_centre;
  const dmd_env_t *env;
} dmd_pool_t;

/* element_szB is at least 4: a released element holds the id of the next one. */
void dmd_pool_init(dmd_pool_t *pool, const dmd_env_t *env, const char *cost_centre,
                   size_t element_szB);
void dmd_pool_destroy(dmd_pool_t *pool);

/* Instead of init: a pool of n existing elements in a row, correctly aligned, which must not move.
 * Elements must not be added or released. */
void dmd_pool_borrow(dmd_pool_t *pool, const dmd_env_t *env, const char *cost_centre,
                     size_t element_szB, void *elements, uint32_t n);

/* Returns the id of a new element with undefined contents. Panics after 2^32 - 1 elements. */
uint32_t dmd_pool_add(dmd_pool_t *pool);
void dmd_pool_release(dmd_pool_t *pool, uint32_t id);

/* For a pool used as an array over ids of something else, from which nothing is released: adds
 * zeroed elements until there is one with this id. */
void dmd_pool_reach(dmd_pool_t *pool, uint32_t id);

/* For a last pass through a pool, in order: elements up to this one will not be used again. Frees
 * the segments that are complete. */
void dmd_pool_pass(dmd_pool_t *pool, uint32_t id);

/* For a pool from which nothing was released: starts again with id 1. An element keeps its contents
 * until it is reused. */
static inline void dmd_pool_rewind(dmd_pool_t *pool) {
  pool->last = 0;
}

/* The element with this id, which must be in use. */
static inline void *dmd_pool_at(const dmd_pool_t *pool, uint32_t id) {
  uint32_t i = id - 1;
  return pool->segments[i >> DMD_POOL_SHIFT] + (i & (DMD_POOL_SEGMENT - 1)) * pool->element_szB;
}

/* Like dmd_pool_at for a known type, which saves the multiplication. Evaluates id twice. */
#define DMD_POOL_AT(pool, type, id)                                                                \
  ((type *)(void *)(pool)->segments[((id)-1) >> DMD_POOL_SHIFT] +                                  \
   (((id)-1) & (DMD_POOL_SEGMENT - 1)))

/* Like dmd_pool_add and dmd_pool_release, for hot paths: the compiler knows the element's size. */
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

/* ---- Numbering. ----
 *
 * Renumbers ids as 1, 2 and so on, in the order of first use, so that a file contains
 * only used ids, without gaps.
 *
 * DMD_NONE stays DMD_NONE. Memory: 4 bytes for each id up to the highest, and 4 for each number. */

typedef struct dmd_numbering {
  dmd_pool_t numbers; /* uint32_t, by id; DMD_NONE: not numbered yet */
  dmd_pool_t ids;     /* uint32_t, by number */
} dmd_numbering_t;

void dmd_numbering_init(dmd_numbering_t *n, const dmd_env_t *env, const char *cost_centre);
void dmd_numbering_destroy(dmd_numbering_t *n);

/* The slow path of dmd_numbering_of: numbers a new id. */
uint32_t dmd_numbering_add(dmd_numbering_t *n, uint32_t id);

static inline uint32_t dmd_numbering_of(dmd_numbering_t *n, uint32_t id) {
  if (id == DMD_NONE)
    return DMD_NONE;
  uint32_t number = id <= n->numbers.last ? *DMD_POOL_AT(&n->numbers, uint32_t, id) : DMD_NONE;
  return number != DMD_NONE ? number : dmd_numbering_add(n, id);
}

/* The count of numbers, and the id of a number. */
static inline uint32_t dmd_numbering_count(const dmd_numbering_t *n) {
  return n->ids.last;
}

static inline uint32_t dmd_numbering_id(const dmd_numbering_t *n, uint32_t number) {
  return *DMD_POOL_AT(&n->ids, uint32_t, number);
}

#endif
