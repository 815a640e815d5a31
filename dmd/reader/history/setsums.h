/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * setsums.h: what some builds held more than others, of a whole history's alarms.
 *
 * A set is the sum of the links of its chain (recordset.h). So what builds hold more than others is
 * a sum of links, too: each as often as the sets of the ones have it, less how often those of the
 * others do. Builds that are near each other have nearly all links in common, which cancel out and
 * are not even read; what is left is what changed between them. The answer is the one that whole
 * sets give.
 *
 * Begin, add each build, and add up; then look at the sum of each stack that is in one of the links
 * that are left. Which sets a build has, and links that were read, are kept for the next sums, up
 * to some 32 MB: alarms that are asked for in the order of builds find theirs. Cost of a sum: one
 * walk through the links that are left.
 */
#ifndef DMD_READER_HISTORY_SETSUMS_H
#define DMD_READER_HISTORY_SETSUMS_H

#include "base/intern.h"
#include "base/map.h"
#include "reader/history/recordset.h"

/* What a stack holds in the sum, by section (dmd_section_t). */
typedef struct dmdv_setsum {
  int64_t stack;
  int64_t bytes[DMD_RECORDSET_SECTIONS];
  uint32_t sum; /* the number of the sum that these are of */
} dmdv_setsum_t;

typedef struct dmdv_setsums {
  dmdv_database_t *db;
  uint32_t number;        /* of the sum that was begun */
  dmd_intern_t launches;  /* by build, environment, moment and process */
  dmd_pool_t launch_sets; /* by launch: where its sets' ids are */
  dmd_pool_t ids;         /* int64_t */
  dmd_map_t numbers;      /* of links, by id */
  dmd_pool_t links;
  dmd_pool_t touched;      /* uint32_t: the links of the sum */
  dmd_map_t stack_numbers; /* by id */
  dmd_pool_t stacks;       /* dmdv_setsum_t */
  dmd_pool_t in_sum;       /* uint32_t: the stacks of the sum */
  size_t szB;              /* of what is kept, about */
} dmdv_setsums_t;

void dmdv_setsums_init(dmdv_setsums_t *sums, dmdv_database_t *db);
void dmdv_setsums_destroy(dmdv_setsums_t *sums);

void dmdv_setsums_begin(dmdv_setsums_t *sums);

/* So many times what the first launch of this build held; of all its processes, or of the one with
 * this name, "": all. False, with the reason on stderr. */
bool dmdv_setsums_add(dmdv_setsums_t *sums, int64_t build, const char *moment, int64_t environment,
                      const char *process, int64_t times);
bool dmdv_setsums_add_up(dmdv_setsums_t *sums);

/* The stacks of the sum, from 0, in no order; good until the next begin. */
static inline uint32_t dmdv_setsums_count(const dmdv_setsums_t *sums) {
  return sums->in_sum.last;
}

static inline const dmdv_setsum_t *dmdv_setsums_at(const dmdv_setsums_t *sums, uint32_t i) {
  return DMD_POOL_AT(&sums->stacks, const dmdv_setsum_t,
                     *DMD_POOL_AT(&sums->in_sum, const uint32_t, i + 1));
}

#endif
