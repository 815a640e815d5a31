/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/runs.h"

#include "host/process.h"

/* Columns of DMDV_SQL_RUNS. */
enum { RUN, MOMENT, ENVIRONMENT, LINES, BRANCH, BUILD, BUILD_NAME, TIME, LAUNCH, PROCESS };

static const char *keep(dmdv_runs_t *runs, const char *text) {
  return dmd_intern_get_str(&runs->texts, dmd_intern_str(&runs->texts, text));
}

static bool is_same_line(const dmdv_run_t *a, const dmdv_run_t *b) {
  return a->moment == b->moment && a->environment == b->environment && a->branch == b->branch;
}

/* Numbers the lines, and notes which ones have several processes in a build. */
static void set_line(dmdv_runs_t *runs, dmdv_run_t *run, const dmdv_run_t *before) {
  bool is_same = before != NULL && is_same_line(before, run);
  if (!is_same)
    dmd_pool_reach(&runs->have_processes, runs->have_processes.last + 1);
  run->line = runs->have_processes.last;
  if (is_same && before->build == run->build && before->process != run->process)
    *DMD_POOL_AT(&runs->have_processes, uint32_t, run->line) = 1;
}

static void add_run(dmdv_runs_t *runs, dmdv_database_t *db) {
  uint32_t number = dmd_pool_add(&runs->runs);
  dmdv_run_t *run = DMD_POOL_AT(&runs->runs, dmdv_run_t, number);
  *run =
      (dmdv_run_t){.environment = dmdv_sql_column_int(db, ENVIRONMENT),
                   .build = dmdv_sql_column_int(db, BUILD),
                   .time = dmdv_sql_column_int(db, TIME),
                   .moment = keep(runs, dmdv_sql_column_text(db, MOMENT)),
                   .environment_lines = keep(runs, dmdv_sql_column_text(db, LINES)),
                   .branch = keep(runs, dmdv_sql_column_text(db, BRANCH)),
                   .build_name = keep(runs, dmdv_sql_column_text(db, BUILD_NAME)),
                   .launch = keep(runs, dmdv_sql_column_text(db, LAUNCH)),
                   .process = dmd_intern_str(&runs->processes, dmdv_sql_column_text(db, PROCESS))};
  set_line(runs, run, number > 1 ? dmdv_runs_at(runs, number - 1) : NULL);
  dmd_map_add(&runs->by_id, (uint64_t)dmdv_sql_column_int(db, RUN), (void *)(uintptr_t)number);
}

bool dmdv_runs_load(dmdv_runs_t *runs, dmdv_database_t *db) {
  dmdv_sql_step_t step;
  dmd_intern_init(&runs->texts, &dmdv_env, "dmdv.runs");
  dmd_intern_init(&runs->processes, &dmdv_env, "dmdv.runs");
  dmd_pool_init(&runs->runs, &dmdv_env, "dmdv.runs", sizeof(dmdv_run_t));
  dmd_pool_init(&runs->have_processes, &dmdv_env, "dmdv.runs", sizeof(uint32_t));
  dmd_map_init(&runs->by_id, &dmdv_env, "dmdv.runs");
  dmdv_sql_start(db, DMDV_SQL_RUNS);
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW)
    add_run(runs, db);
  return step == DMDV_SQL_DONE;
}

void dmdv_runs_destroy(dmdv_runs_t *runs) {
  dmd_map_destroy(&runs->by_id);
  dmd_pool_destroy(&runs->have_processes);
  dmd_pool_destroy(&runs->runs);
  dmd_intern_destroy(&runs->processes);
  dmd_intern_destroy(&runs->texts);
}
