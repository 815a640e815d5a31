/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * reporterruns.h: how often each reporter ran since the last clear.
 *
 * A run goes from a reporter's begin to its end; a run that an exception left, or that did not end,
 * does not count. The list has every reporter that ever ran, with 0 runs if the last was before the
 * clear. So a reader can distinguish blocks that no reporter measures from blocks whose reporters
 * did not run.
 */
#ifndef DMD_MODEL_PROFILE_REPORTERRUNS_H
#define DMD_MODEL_PROFILE_REPORTERRUNS_H

#include "base/intern.h"
#include "base/pool.h"
#include "base/table.h"

typedef struct dmd_reporter_run {
  uint64_t n;        /* runs */
  uint32_t reporter; /* name */
} dmd_reporter_run_t;

typedef struct dmd_reporter_runs {
  dmd_pool_t pool; /* ids 1, 2, 3 ... in the order of addition */
  dmd_table_t index;
} dmd_reporter_runs_t;

/* The list must not move until it is destroyed. */
void dmd_reporter_runs_init(dmd_reporter_runs_t *runs, const dmd_env_t *env);
void dmd_reporter_runs_destroy(dmd_reporter_runs_t *runs);

/* Adds n runs of the reporter, a name's id; n may be 0, to add only the reporter. */
void dmd_reporter_runs_add(dmd_reporter_runs_t *runs, uint32_t reporter, uint64_t n);

static inline uint32_t dmd_reporter_runs_count(const dmd_reporter_runs_t *runs) {
  return runs->pool.last;
}

static inline const dmd_reporter_run_t *dmd_reporter_runs_at(const dmd_reporter_runs_t *runs,
                                                             uint32_t id) {
  return DMD_POOL_AT(&runs->pool, const dmd_reporter_run_t, id);
}

#endif
