/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * numbering.h: renumbers ids as 1, 2 and so on, in the order of first use, so that a file contains
 * only used ids, without gaps.
 *
 * DMD_NONE stays DMD_NONE. Memory: 4 bytes for each id up to the highest, and 4 for each number.
 */
#ifndef DMD_BASE_NUMBERING_H
#define DMD_BASE_NUMBERING_H

#include "base/pool.h"

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
