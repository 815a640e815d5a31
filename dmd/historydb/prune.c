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

/* The choice, while it goes through a branch's builds, the newest first. */
typedef struct {
  const dmdv_prune_t *which;
  dmdv_pruned_t *pruned;
  dmd_strbuf_t dropped, thinned; /* ids of builds, as dmdv_sql_append_number appends them */
  dmd_strbuf_t branch;
  uint32_t n_dropped;
  uint32_t n_newer; /* builds of the branch so far */
  bool has_period;
  int64_t period; /* of the last build that stayed because of `every_s` */
} choice_t;

/* Whether the row's build meets the conditions. */
static bool is_chosen(choice_t *c, dmdv_database_t *db) {
  const dmdv_prune_t *which = c->which;
  if ((which->branch != NULL && strcmp(which->branch, dmdv_sql_column_text(db, BRANCH)) != 0) ||
      c->n_newer < which->keep || dmdv_sql_column_int(db, TIME) >= which->before)
    return false;
  if (which->acknowledged || dmdv_sql_column_int(db, ACKNOWLEDGEMENTS) == 0)
    return true;
  c->pruned->n_acknowledged++;
  return false;
}

/* Whether the row's build is the last chosen one of its period. */
static bool is_last_of_period(choice_t *c, dmdv_database_t *db) {
  const int64_t monday_s = 3 * 86400; /* since the last one before 1970 */
  int64_t time = dmdv_sql_column_int(db, TIME) + monday_s, every = c->which->every_s;
  if (every == 0)
    return false;
  int64_t period = time / every - (time % every < 0);
  bool is_last = !c->has_period || period != c->period;
  c->has_period = true;
  c->period = period;
  return is_last;
}

static void take_build(choice_t *c, dmdv_database_t *db) {
  int64_t build = dmdv_sql_column_int(db, BUILD);
  const char *branch = dmdv_sql_column_text(db, BRANCH);
  if (strcmp(c->branch.text, branch) != 0) {
    dmd_strbuf_cut(&c->branch, 0);
    dmd_strbuf_str(&c->branch, branch);
    c->n_newer = 0;
    c->has_period = false;
  }
  c->pruned->n_builds++;
  if (is_chosen(c, db)) {
    bool stays = c->which->every_s == 0 ? c->which->runs != 0 : is_last_of_period(c, db);
    c->n_dropped += !stays;
    if (!stays)
      dmdv_sql_append_number(&c->dropped, build);
    else if (c->which->runs != 0)
      dmdv_sql_append_number(&c->thinned, build);
  }
  c->n_newer++;
}

static bool choose(choice_t *c, dmdv_database_t *db) {
  dmdv_sql_step_t step;
  dmdv_sql_start(db, DMDV_SQL_BUILDS_TO_PRUNE);
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW)
    take_build(c, db);
  return step == DMDV_SQL_DONE;
}

/* Runs a statement about listed numbers. */
static bool run_for(dmdv_database_t *db, dmdv_sql_t sql, const dmd_strbuf_t *numbers) {
  dmdv_sql_start(db, sql);
  dmdv_sql_text(db, numbers->text);
  return dmdv_sql_run(db);
}

static bool drop_builds(dmdv_database_t *db, const dmd_strbuf_t *builds) {
  return run_for(db, DMDV_SQL_DROP_ALARMS_OF_BUILDS, builds) &&
         run_for(db, DMDV_SQL_DROP_RUNS_OF_BUILDS, builds) &&
         run_for(db, DMDV_SQL_DROP_BUILDS, builds);
}

static bool count_runs(dmdv_database_t *db, int64_t *n) {
  dmdv_sql_start(db, DMDV_SQL_COUNT_RUNS);
  return dmdv_sql_number(db, n);
}

static bool thin_builds(dmdv_database_t *db, const choice_t *c, int64_t *n_runs) {
  int64_t n_before, n_after;
  if (c->thinned.n == 0)
    return true;
  if (!count_runs(db, &n_before))
    return false;
  dmdv_sql_start(db, DMDV_SQL_THIN_BUILDS);
  dmdv_sql_text(db, c->thinned.text);
  dmdv_sql_int(db, c->which->runs);
  if (!dmdv_sql_run(db) || !count_runs(db, &n_after))
    return false;
  *n_runs = n_before - n_after;
  return true;
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

/* In parts, which bounds the memory. */
static bool rebase(dmdv_database_t *db) {
  enum { PART = 64 };
  int64_t part[PART];
  size_t n = 0;
  dmd_pool_t ids;
  dmd_pool_init(&ids, &dmdv_env, "dmdv.prune", sizeof(int64_t));
  bool good = list_ids(db, DMDV_SQL_RECORDSETS_TO_REBASE, &ids);
  for (uint32_t number = 1; number <= ids.last && good; number++) {
    part[n++] = *DMD_POOL_AT(&ids, int64_t, number);
    if (n < PART && number < ids.last)
      continue;
    good = dmdv_storedsets_rebase(db, part, n);
    n = 0;
  }
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
  dmd_strbuf_t unused;
  dmd_map_init(&used, &dmdv_env, "dmdv.prune");
  dmd_pool_init(&stacks, &dmdv_env, "dmdv.prune", sizeof(int64_t));
  dmd_strbuf_init(&unused, &dmdv_env);
  bool good =
      dmdv_storedsets_visit_stacks(db, mark_stack, &used) && list_ids(db, DMDV_SQL_STACKS, &stacks);
  for (uint32_t number = 1; number <= stacks.last && good; number++) {
    int64_t stack = *DMD_POOL_AT(&stacks, int64_t, number);
    if (dmd_map_find(&used, (uint64_t)stack) == NULL)
      dmdv_sql_append_number(&unused, stack);
  }
  good = good && run_for(db, DMDV_SQL_DROP_STACKS, &unused);
  dmd_strbuf_destroy(&unused);
  dmd_pool_destroy(&stacks);
  dmd_map_destroy(&used);
  return good;
}

/* ---- Pruning. ---- */

static bool drop(dmdv_database_t *db, choice_t *c) {
  int64_t n_runs = 0;
  if (!dmdv_database_begin(db) || !choose(c, db) || !drop_builds(db, &c->dropped) ||
      !thin_builds(db, c, &n_runs) || !rebase(db) || !drop_unused(db) || !drop_stacks(db) ||
      !dmdv_database_commit(db))
    return false;
  c->pruned->n_dropped = c->n_dropped;
  c->pruned->n_runs = n_runs;
  return true;
}

bool dmdv_history_prune(dmdv_database_t *db, const dmdv_prune_t *which, dmdv_pruned_t *pruned) {
  choice_t c = {.which = which, .pruned = pruned};
  *pruned = (dmdv_pruned_t){.n_builds = 0};
  dmd_strbuf_init(&c.dropped, &dmdv_env);
  dmd_strbuf_init(&c.thinned, &dmdv_env);
  dmd_strbuf_init(&c.branch, &dmdv_env);
  bool good = dmdv_database_size(db, &pruned->before_szB) && drop(db, &c);
  dmd_strbuf_destroy(&c.branch);
  dmd_strbuf_destroy(&c.thinned);
  dmd_strbuf_destroy(&c.dropped);
  return good && dmdv_database_compact(db) && dmdv_database_size(db, &pruned->now_szB);
}
