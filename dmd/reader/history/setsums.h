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
 * Begin, add each build, take the sum; then begin the next one. Which sets a build has, and links
 * that were read, are kept for the next sums, up to 32 MB: alarms that are asked for in the order
 * of builds find theirs. Cost of a sum: a walk through the links that are left, the short ones
 * first.
 */
#ifndef DMD_READER_HISTORY_SETSUMS_H
#define DMD_READER_HISTORY_SETSUMS_H

#include "base/intern.h"
#include "base/map.h"
#include "reader/history/recordset.h"

typedef struct dmdv_setsums {
  dmdv_database_t *db;
  dmd_intern_t launches;  /* by build, environment, moment and process */
  dmd_pool_t launch_sets; /* by launch: where its sets' ids are */
  dmd_pool_t ids;         /* int64_t */
  dmd_map_t numbers;      /* of links, by id */
  dmd_pool_t links;
  dmd_pool_t touched; /* uint32_t: the links of the sum that was begun */
  size_t szB;         /* of records that are kept */
} dmdv_setsums_t;

void dmdv_setsums_init(dmdv_setsums_t *sums, dmdv_database_t *db);
void dmdv_setsums_destroy(dmdv_setsums_t *sums);

void dmdv_setsums_begin(dmdv_setsums_t *sums);

/* So many times what the first launch of this build held; of all its processes, or of the one with
 * this name, "": all. False, with the reason on stderr. */
bool dmdv_setsums_add(dmdv_setsums_t *sums, int64_t build, const char *moment, int64_t environment,
                      const char *process, int64_t times);

/* The sum, in the order of a set; records of which nothing is left are not in it. Destroy it even
 * if this fails. */
bool dmdv_setsums_take(dmdv_setsums_t *sums, dmd_recordset_t *sum);

#endif
