/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * runs.h: all runs of a history, in the order of its curves.
 *
 * A run here is one file that was added: one process of one launch of the program. The runs of one
 * moment, environment and branch form a line. They are adjacent, in the order of builds, and within
 * a build the runs of one launch are adjacent.
 */
#ifndef DMD_HISTORYDB_RUNS_H
#define DMD_HISTORYDB_RUNS_H

#include "base/intern.h"
#include "base/map.h"
#include "historydb/database.h"

/* Equal texts have equal addresses. */
typedef struct dmdv_run {
  int64_t environment, build, time; /* ids; when the build was made */
  const char *moment, *environment_lines, *branch, *build_name, *launch;
  uint32_t process, line; /* numbers, from 1 */
} dmdv_run_t;

typedef struct dmdv_runs {
  dmd_intern_t texts, processes;
  dmd_pool_t runs;           /* dmdv_run_t */
  dmd_pool_t have_processes; /* by line: a uint32_t, whether a build of it has several processes */
  dmd_map_t by_id;           /* the number of a run, as a pointer */
} dmdv_runs_t;

/* False, with the reason on stderr; destroy them either way. */
bool dmdv_runs_load(dmdv_runs_t *runs, dmdv_database_t *db);
void dmdv_runs_destroy(dmdv_runs_t *runs);

static inline uint32_t dmdv_runs_count(const dmdv_runs_t *runs) {
  return runs->runs.last;
}

/* The run with this number, from 1; the number of the run with this id, 0 if it is unknown. */
static inline const dmdv_run_t *dmdv_runs_at(const dmdv_runs_t *runs, uint32_t number) {
  return DMD_POOL_AT(&runs->runs, const dmdv_run_t, number);
}
static inline uint32_t dmdv_runs_find(const dmdv_runs_t *runs, int64_t id) {
  return (uint32_t)(uintptr_t)dmd_map_find(&runs->by_id, (uint64_t)id);
}

static inline bool dmdv_runs_have_processes(const dmdv_runs_t *runs, uint32_t line) {
  return *DMD_POOL_AT(&runs->have_processes, const uint32_t, line) != 0;
}

#endif
