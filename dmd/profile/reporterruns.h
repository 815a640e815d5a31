/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * reporterruns.h: how often each reporter ran since the last clear.
 *
 * A run is from a reporter's begin to its end; one that an exception left, or that never ended, is
 * none. Every reporter that ever ran is in the list, with 0 runs if the last was before the clear.
 * So a reader can tell blocks that no reporter measures from those whose reporters did not run.
 *
 * Concurrency: nothing locks; that of the profile that the list is in.
 */
#ifndef DMD_PROFILE_REPORTERRUNS_H
#define DMD_PROFILE_REPORTERRUNS_H

#include "base/intern.h"
#include "base/pool.h"
#include "base/table.h"

typedef struct dmd_reporter_run {
  uint64_t n;        /* runs */
  uint32_t reporter; /* name */
} dmd_reporter_run_t;

typedef struct dmd_reporter_runs {
  dmd_pool_t pool; /* ids 1, 2, 3 ... in the order of first sight */
  dmd_table_t index;
} dmd_reporter_runs_t;

/* The list must stay where it is until it is destroyed. */
void dmd_reporter_runs_init(dmd_reporter_runs_t *runs, const dmd_env_t *env);
void dmd_reporter_runs_destroy(dmd_reporter_runs_t *runs);

/* The reporter, a name's id, ran n times more; with 0 it is known from now on. */
void dmd_reporter_runs_add(dmd_reporter_runs_t *runs, uint32_t reporter, uint64_t n);

static inline uint32_t dmd_reporter_runs_count(const dmd_reporter_runs_t *runs) {
  return runs->pool.last;
}

static inline const dmd_reporter_run_t *dmd_reporter_runs_at(const dmd_reporter_runs_t *runs,
                                                             uint32_t id) {
  return DMD_POOL_AT(&runs->pool, const dmd_reporter_run_t, id);
}

#endif
