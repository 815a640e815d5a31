/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/prune.h"

#include "base/map.h"
#include "base/pool.h"
#include "base/strbuf.h"
#include "historydb/storedset.h"
#include "host/process.h"

#include <string.h>

/* Columns of DMDV_SQL_BUILDS_TO_PRUNE. */
enum { BUILD, BRANCH, TIME, ACKNOWLEDGEMENTS };

/* ---- Builds. ---- */

/* Whether to remove the row's build. n_newer: the number of newer builds of its branch. */
static bool is_to_go(dmdv_database_t *db, const dmdv_prune_t *which, dmdv_pruned_t *pruned,
                     uint32_t n_newer) {
  if ((which->branch != NULL && strcmp(which->branch, dmdv_sql_column_text(db, BRANCH)) != 0) ||
      n_newer < which->keep || dmdv_sql_column_int(db, TIME) >= which->before)
    return false;
  if (which->acknowledged || dmdv_sql_column_int(db, ACKNOWLEDGEMENTS) == 0)
    return true;
  pruned->n_acknowledged++;
  return false;
}

static bool choose(dmdv_database_t *db, const dmdv_prune_t *which, dmdv_pruned_t *pruned,
                   dmd_pool_t *builds) {
  dmd_strbuf_t branch;
  uint32_t n_newer = 0;
  dmdv_sql_step_t step;
  dmd_strbuf_init(&branch, &dmdv_env);
  dmdv_sql_start(db, DMDV_SQL_BUILDS_TO_PRUNE);
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW) {
    const char *name = dmdv_sql_column_text(db, BRANCH);
    if (strcmp(branch.text, name) != 0) {
      dmd_strbuf_cut(&branch, 0);
      dmd_strbuf_str(&branch, name);
      n_newer = 0;
    }
    pruned->n_builds++;
    if (is_to_go(db, which, pruned, n_newer++)) {
      uint32_t number = dmd_pool_add(builds);
      *DMD_POOL_AT(builds, int64_t, number) = dmdv_sql_column_int(db, BUILD);
    }
  }
  dmd_strbuf_destroy(&branch);
  return step == DMDV_SQL_DONE;
}

static bool drop_builds(dmdv_database_t *db, const dmd_pool_t *builds) {
  static const dmdv_sql_t statements[] = {DMDV_SQL_DROP_ALARMS_OF_BUILD,
                                          DMDV_SQL_DROP_RUNS_OF_BUILD, DMDV_SQL_DROP_BUILD};
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
    for (uint32_t number = 1; number <= builds->last; number++) {
      dmdv_sql_start(db, statements[i]);
      dmdv_sql_int(db, *DMD_POOL_AT(builds, const int64_t, number));
      dmdv_sql_queue(db, NULL);
    }
  return dmdv_sql_flush(db);
}

/* ---- What only they used. ---- */

/* Appends the ids that a statement returns. */
static bool list_ids(dmdv_database_t *db, dmdv_sql_t sql, dmd_pool_t *ids) {
  dmdv_sql_step_t step;
  dmdv_sql_start(db, sql);
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW) {
    uint32_t number = dmd_pool_add(ids);
    *DMD_POOL_AT(ids, int64_t, number) = dmdv_sql_column_int(db, 0);
  }
  return step == DMDV_SQL_DONE;
}

static bool rebase(dmdv_database_t *db) {
  dmd_pool_t ids;
  dmd_pool_init(&ids, &dmdv_env, "dmdv.prune", sizeof(int64_t));
  bool good = list_ids(db, DMDV_SQL_RECORDSETS_TO_REBASE, &ids);
  for (uint32_t number = 1; number <= ids.last && good; number++)
    good = dmdv_storedset_rebase(db, *DMD_POOL_AT(&ids, int64_t, number));
  dmd_pool_destroy(&ids);
  return good;
}

static bool drop_unused(dmdv_database_t *db) {
  static const dmdv_sql_t statements[] = {
      DMDV_SQL_DROP_UNUSED_VALUES, DMDV_SQL_DROP_UNUSED_RECORDSETS, DMDV_SQL_DROP_UNUSED_SERIES,
      DMDV_SQL_DROP_UNUSED_ENVIRONMENTS};
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
    dmdv_sql_start(db, statements[i]);
    if (!dmdv_sql_run(db))
      return false;
  }
  return true;
}

static void mark_stack(void *ctx, int64_t stack) {
  dmd_map_t *used = ctx;
  if (dmd_map_find(used, (uint64_t)stack) == NULL)
    dmd_map_add(used, (uint64_t)stack, used);
}

static bool drop_stacks(dmdv_database_t *db) {
  dmd_map_t used;
  dmd_pool_t stacks;
  dmd_map_init(&used, &dmdv_env, "dmdv.prune");
  dmd_pool_init(&stacks, &dmdv_env, "dmdv.prune", sizeof(int64_t));
  bool good =
      dmdv_storedsets_visit_stacks(db, mark_stack, &used) && list_ids(db, DMDV_SQL_STACKS, &stacks);
  for (uint32_t number = 1; number <= stacks.last && good; number++) {
    int64_t stack = *DMD_POOL_AT(&stacks, int64_t, number);
    if (dmd_map_find(&used, (uint64_t)stack) != NULL)
      continue;
    dmdv_sql_start(db, DMDV_SQL_DROP_STACK);
    dmdv_sql_int(db, stack);
    dmdv_sql_queue(db, NULL);
  }
  dmd_pool_destroy(&stacks);
  dmd_map_destroy(&used);
  return good && dmdv_sql_flush(db);
}

/* ---- Pruning. ---- */

bool dmdv_history_prune(dmdv_database_t *db, const dmdv_prune_t *which, dmdv_pruned_t *pruned) {
  dmd_pool_t builds;
  *pruned = (dmdv_pruned_t){.n_builds = 0};
  dmd_pool_init(&builds, &dmdv_env, "dmdv.prune", sizeof(int64_t));
  bool good = dmdv_database_size(db, &pruned->before_szB) && dmdv_database_begin(db) &&
              choose(db, which, pruned, &builds) && drop_builds(db, &builds) && rebase(db) &&
              drop_unused(db) && drop_stacks(db) && dmdv_database_commit(db);
  if (good)
    pruned->n_dropped = builds.last;
  dmd_pool_destroy(&builds);
  return good && dmdv_database_compact(db) && dmdv_database_size(db, &pruned->now_szB);
}
