/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ids.h: the ids of a file's traces or frames, and what they mean.
 *
 * An id is any string. Each gets a number, 1, 2, 3 ... in the order of first sight, before its
 * meaning is known: the table that defines it may come last in the file. Ids that dmd writes are
 * decimal numbers without gaps, and a file names them a million times; those are found by their
 * value, in an array whose length is in proportion to the number of ids, whatever values they have.
 */
#ifndef DMD_LOAD_IDS_H
#define DMD_LOAD_IDS_H

#include "base/intern.h"
#include "load/scan.h"

typedef struct dmd_ids {
  dmd_intern_t texts;  /* of the ids, by number */
  dmd_pool_t meanings; /* by number; DMD_NONE: not defined so far */
  uint32_t *decimal;   /* numbers, by the value of the id; DMD_NONE: look in texts */
  uint32_t n_decimal;
} dmd_ids_t;

void dmd_ids_init(dmd_ids_t *ids, const dmd_env_t *env, const char *cost_centre);
void dmd_ids_destroy(dmd_ids_t *ids);

/* The number of an id, new or not. */
uint32_t dmd_ids_number(dmd_ids_t *ids, dmd_span_t id);

static inline uint32_t dmd_ids_count(const dmd_ids_t *ids) {
  return dmd_intern_count(&ids->texts);
}

/* The id with this number. */
static inline const char *dmd_ids_text(const dmd_ids_t *ids, uint32_t number) {
  return dmd_intern_get_str(&ids->texts, number);
}

/* What it means. */
static inline uint32_t *dmd_ids_meaning(const dmd_ids_t *ids, uint32_t number) {
  return DMD_POOL_AT(&ids->meanings, uint32_t, number);
}

#endif
