/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * setsums.h: what some builds held more than others, for the alarms of a whole history.
 *
 * A set is the sum of the links of its chain (storedset.h). So the difference between builds is a
 * sum of links, too: each link counts as often as the sets on one side contain it, less how often
 * the sets on the other side do. Neighbouring builds share nearly all of their links, which cancel
 * out and are not even read; the rest is what changed between the builds. The result equals that of
 * subtracting whole sets.
 *
 * Begin a sum, add each build, and add up; then look at the sum of each stack in the links that are
 * left. The sets of a build, and links that were read, are cached for the next sums, up to some 32
 * MB: alarms that are visited in the order of builds hit the cache. Cost of a sum: one pass over
 * the links that are left.
 */
#ifndef DMD_HISTORYDB_SETSUMS_H
#define DMD_HISTORYDB_SETSUMS_H

#include "base/intern.h"
#include "base/map.h"
#include "historydb/storedset.h"

/* The bytes of a stack in the sum, by section (dmd_section_t). */
typedef struct dmdv_setsum {
  int64_t stack;
  int64_t bytes[DMD_RECORDSET_SECTIONS];
  uint32_t sum; /* the sum that these bytes belong to */
} dmdv_setsum_t;

typedef struct dmdv_setsums {
  dmdv_database_t *db;
  uint32_t number;        /* of the current sum */
  dmd_intern_t launches;  /* by build, environment, moment and process */
  dmd_pool_t launch_sets; /* by launch: the place of its sets' ids */
  dmd_pool_t ids;         /* int64_t */
  dmd_map_t numbers;      /* of links, by id */
  dmd_pool_t links;
  dmd_pool_t touched;      /* uint32_t: the links of the sum */
  dmd_map_t stack_numbers; /* by id */
  dmd_pool_t stacks;       /* dmdv_setsum_t */
  dmd_pool_t in_sum;       /* uint32_t: the stacks of the sum */
  size_t szB;              /* of the cache, about */
} dmdv_setsums_t;

void dmdv_setsums_init(dmdv_setsums_t *sums, dmdv_database_t *db);
void dmdv_setsums_destroy(dmdv_setsums_t *sums);

void dmdv_setsums_begin(dmdv_setsums_t *sums);

/* Adds, `times` times, what the first launch of this build held; process: of the process with this
 * name, "": of all processes. False, with the reason on stderr. */
bool dmdv_setsums_add(dmdv_setsums_t *sums, int64_t build, const char *moment, int64_t environment,
                      const char *process, int64_t times);
bool dmdv_setsums_add_up(dmdv_setsums_t *sums);

/* The stacks of the sum, from 0, in no particular order; valid until the next begin. */
static inline uint32_t dmdv_setsums_count(const dmdv_setsums_t *sums) {
  return sums->in_sum.last;
}

static inline const dmdv_setsum_t *dmdv_setsums_at(const dmdv_setsums_t *sums, uint32_t i) {
  return DMD_POOL_AT(&sums->stacks, const dmdv_setsum_t,
                     *DMD_POOL_AT(&sums->in_sum, const uint32_t, i + 1));
}

#endif
