/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ids.h: maps the ids of traces or frames in a file to small numbers and their meanings.
 *
 * An id is any string. Each gets a number, 1, 2, 3 ... in order of first occurrence, before its
 * meaning is known: the table that defines it may come last in the file. dmd itself writes decimal
 * ids without gaps, and a file names them a million times. Decimal ids are found by value in an
 * array whose length stays proportional to the number of ids, whatever their values.
 */
#ifndef DMD_FILES_PROFILE_IDS_H
#define DMD_FILES_PROFILE_IDS_H

#include "base/intern.h"
#include "files/profile/jsonscan.h"

typedef struct dmd_ids {
  dmd_intern_t texts;  /* the ids, by number */
  dmd_pool_t meanings; /* by number; DMD_NONE: not defined yet */
  uint32_t *decimal;   /* numbers, by value of the id; DMD_NONE: look in `texts` */
  uint32_t n_decimal;
} dmd_ids_t;

void dmd_ids_init(dmd_ids_t *ids, const dmd_env_t *env, const char *cost_centre);
void dmd_ids_destroy(dmd_ids_t *ids);

/* The number of an id; adds the id if it is new. */
uint32_t dmd_ids_number(dmd_ids_t *ids, dmd_span_t id);

static inline uint32_t dmd_ids_count(const dmd_ids_t *ids) {
  return dmd_intern_count(&ids->texts);
}

/* The id with this number. */
static inline const char *dmd_ids_text(const dmd_ids_t *ids, uint32_t number) {
  return dmd_intern_get_str(&ids->texts, number);
}

/* Its meaning, which the caller may set. */
static inline uint32_t *dmd_ids_meaning(const dmd_ids_t *ids, uint32_t number) {
  return DMD_POOL_AT(&ids->meanings, uint32_t, number);
}

#endif
