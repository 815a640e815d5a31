/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/importing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/records/metrics.h"
#include "base/mem.h"
#include "historydb/storedset.h"
#include "host/process.h"

/* ---- Runs and launches. ---- */

/* The lookup tables of one part. */
typedef struct {
  dmdv_importing_t *m;
  dmdv_database_t *db;
  uint32_t part;
  dmd_intern_t digests;           /* digests of the history's runs, each with its group */
  dmd_pool_t launches_of_digests; /* const char *, by digest */
  dmd_intern_t taken;             /* process, launch and group of the history's runs */
} finding_t;

/* The number that is the whole text; 0: the text is not a positive number. */
static int64_t launch_number(const char *text) {
  size_t n = strlen(text);
  return n > 0 && n <= 18 && text[0] != '0' && strspn(text, "0123456789") == n
             ? strtoll(text, NULL, 10)
             : 0;
}

static const char *keep(dmdv_importing_t *m, const char *text) {
  return dmd_intern_get_str(&m->texts, dmd_intern_str(&m->texts, text));
}

static dmdv_imported_group_t *group_at(const dmdv_importing_t *m, uint32_t number) {
  return DMD_POOL_AT(&m->groups, dmdv_imported_group_t, number);
}

/* ---- The document. Equal texts have equal addresses. ---- */

static uint32_t group_of(dmdv_importing_t *m, const dmdv_imported_run_t *run) {
  const int64_t key[] = {run->build, run->environment, (int64_t)(intptr_t)run->moment};
  uint32_t number = dmd_intern_bytes(&m->group_keys, key, sizeof key);
  if (number > m->groups.last) {
    dmd_pool_add(&m->groups);
    *group_at(m, number) = (dmdv_imported_group_t){.most = 0};
  }
  return number;
}

static void take_number(dmdv_imported_group_t *group, const char *launch) {
  int64_t number = launch_number(launch);
  if (number > group->most)
    group->most = number;
}

/* Records the launch's name, a text of the import, of a run that was just read and has all its
 * other keys. */
static void note_launch(dmdv_importing_t *m, uint32_t run, const char *name) {
  dmdv_imported_run_t *at = dmdv_imported_run(m, run);
  uint32_t group = group_of(m, at);
  const int64_t key[] = {group, (int64_t)(intptr_t)name};
  at->launch = dmd_intern_bytes(&m->launch_keys, key, sizeof key);
  if (at->launch > m->launches.last) {
    dmd_pool_add(&m->launches);
    *dmdv_imported_launch(m, at->launch) = (dmdv_imported_launch_t){.group = group, .name = name};
  }
  dmdv_imported_launch(m, at->launch)->last = run;
  take_number(group_at(m, group), name);
}

void dmdv_import_find_ends(dmdv_importing_t *m) {
  uint32_t last = 0;
  for (uint32_t number = 1; number <= m->runs.last; number++) {
    dmdv_imported_run_t *run = dmdv_imported_run(m, number);
    uint32_t of_launch = dmdv_imported_launch(m, run->launch)->last;
    last = of_launch > last ? of_launch : last;
    run->may_end = last == number;
  }
}

/* ---- The history. ---- */

static uint32_t digest_key(finding_t *f, uint32_t group, const void *digest) {
  unsigned char key[sizeof group + DMDV_DIGEST_SZB];
  memcpy(key, &group, sizeof group);
  memcpy(key + sizeof group, digest, DMDV_DIGEST_SZB);
  return dmd_intern_bytes(&f->digests, key, sizeof key);
}

static uint32_t taken_key(finding_t *f, uint32_t group, const char *process, const char *launch) {
  const int64_t key[] = {group, (int64_t)(intptr_t)process, (int64_t)(intptr_t)launch};
  return dmd_intern_bytes(&f->taken, key, sizeof key);
}

static void take_row(finding_t *f, uint32_t group) {
  size_t n;
  const void *digest = dmdv_sql_column_bytes(f->db, 0, &n);
  if (n != DMDV_DIGEST_SZB)
    return;
  const char *process = keep(f->m, dmdv_sql_column_text(f->db, 1));
  const char *launch = keep(f->m, dmdv_sql_column_text(f->db, 2));
  uint32_t number = digest_key(f, group, digest);
  dmd_pool_reach(&f->launches_of_digests, number);
  *DMD_POOL_AT(&f->launches_of_digests, const char *, number) = launch;
  taken_key(f, group, process, launch);
  take_number(group_at(f->m, group), launch);
}

/* Reads all runs that the history has of this run's build, moment and environment. */
static bool take_group(finding_t *f, const dmdv_imported_run_t *run) {
  dmdv_importing_t *m = f->m;
  uint32_t group = dmdv_imported_launch(m, run->launch)->group;
  dmdv_sql_step_t step;
  if (group_at(m, group)->part == f->part)
    return true;
  group_at(m, group)->part = f->part;
  if (DMD_POOL_AT(&m->builds, dmdv_imported_build_t, run->build)->is_new)
    return true;
  dmdv_sql_start(f->db, DMDV_SQL_RUNS_OF);
  dmdv_sql_int(f->db, dmdv_imported_build_id(m, run->build));
  dmdv_sql_text(f->db, run->moment);
  dmdv_sql_int(f->db, dmdv_imported_environment_id(m, run->environment));
  while ((step = dmdv_sql_step(f->db)) == DMDV_SQL_ROW)
    take_row(f, group);
  return step == DMDV_SQL_DONE;
}

/* ---- Both. ---- */

/* A run that the history already has decides the name of its launch for the launch's other runs. */
static void compare(finding_t *f, uint32_t first, uint32_t last) {
  uint32_t n_digests = dmd_intern_count(&f->digests), n_taken = dmd_intern_count(&f->taken);
  for (uint32_t number = first; number <= last; number++) {
    dmdv_imported_run_t *run = dmdv_imported_run(f->m, number);
    dmdv_imported_launch_t *launch = dmdv_imported_launch(f->m, run->launch);
    uint32_t digest = digest_key(f, launch->group, run->digest);
    run->is_there = digest <= n_digests;
    if (run->is_there && launch->there == NULL)
      launch->there = *DMD_POOL_AT(&f->launches_of_digests, const char *, digest);
    if (launch_number(launch->name) > 0 &&
        taken_key(f, launch->group, run->process, launch->name) <= n_taken)
      launch->is_taken = true;
  }
}

static void name_launches(dmdv_importing_t *m, uint32_t first, uint32_t last) {
  for (uint32_t number = first; number <= last; number++) {
    dmdv_imported_launch_t *launch = dmdv_imported_launch(m, dmdv_imported_run(m, number)->launch);
    char text[24];
    if (launch->there != NULL)
      continue;
    launch->there = launch->name;
    if (launch->is_taken) {
      snprintf(text, sizeof text, "%lld", (long long)++group_at(m, launch->group)->most);
      launch->there = keep(m, text);
    }
  }
}

bool dmdv_import_launches(dmdv_importing_t *m, dmdv_database_t *db, uint32_t part, uint32_t first,
                          uint32_t last) {
  finding_t f = {.m = m, .db = db, .part = part};
  bool good = true;
  dmd_intern_init(&f.digests, &dmdv_env, "dmdv.launches");
  dmd_intern_init(&f.taken, &dmdv_env, "dmdv.launches");
  dmd_pool_init(&f.launches_of_digests, &dmdv_env, "dmdv.launches", sizeof(const char *));
  for (uint32_t number = first; number <= last && good; number++)
    good = take_group(&f, dmdv_imported_run(m, number));
  if (good) {
    compare(&f, first, last);
    name_launches(m, first, last);
  }
  dmd_pool_destroy(&f.launches_of_digests);
  dmd_intern_destroy(&f.taken);
  dmd_intern_destroy(&f.digests);
  return good;
}

/* ---- Importing. ---- */

/* The number of a pair of texts, which is added if new. */
static uint32_t number_of(dmd_intern_t *keys, const char *a, const char *b) {
  dmd_strbuf_t key;
  dmd_strbuf_init(&key, &dmdv_env);
  dmd_strbuf_bytes(&key, a, strlen(a) + 1);
  dmd_strbuf_str(&key, b);
  uint32_t number = dmd_intern_bytes(keys, key.text, key.n);
  dmd_strbuf_destroy(&key);
  return number;
}

static const char *take_environment(void *ctx, const char *lines) {
  dmdv_importing_t *m = ctx;
  if (dmd_intern_str(&m->environment_keys, lines) <= m->environments.last)
    return "an environment comes twice";
  uint32_t number = dmd_pool_add(&m->environments);
  *DMD_POOL_AT(&m->environments, dmdv_imported_environment_t, number) =
      (dmdv_imported_environment_t){.lines = keep(m, lines)};
  return NULL;
}

static const char *take_build(void *ctx, const dmd_history_item_build_t *build) {
  dmdv_importing_t *m = ctx;
  if (number_of(&m->build_keys, build->name, build->branch) <= m->builds.last)
    return "a build comes twice";
  uint32_t number = dmd_pool_add(&m->builds);
  *DMD_POOL_AT(&m->builds, dmdv_imported_build_t, number) = (dmdv_imported_build_t){
      .name = keep(m, build->name), .branch = keep(m, build->branch), .time = build->time};
  return NULL;
}

/* Keeps each line once, however many stacks have it. */
static const char *take_stack(void *ctx, const char *frames) {
  dmdv_importing_t *m = ctx;
  uint32_t number = dmd_pool_add(&m->stacks);
  dmdv_imported_stack_t *stack = dmdv_imported_stack(m, number);
  *stack = (dmdv_imported_stack_t){.first = m->stack_frames.last + 1};
  dmdv_digest_of_frames(stack->digest, frames);
  for (const char *line = frames; *line != '\0'; stack->n++) {
    size_t n = strcspn(line, "\n");
    uint32_t at = dmd_pool_add(&m->stack_frames);
    *DMD_POOL_AT(&m->stack_frames, uint32_t, at) = dmd_intern_bytes(&m->frames, line, n);
    line += n + (line[n] == '\n');
  }
  return NULL;
}

static const char *take_run(void *ctx, const dmd_history_item_run_t *run) {
  dmdv_importing_t *m = ctx;
  uint32_t number = dmd_pool_add(&m->runs);
  dmdv_imported_run_t *at = dmdv_imported_run(m, number);
  *at = (dmdv_imported_run_t){.build = run->build + 1,
                              .environment = run->environment + 1,
                              .moment = keep(m, run->moment),
                              .process = keep(m, run->process)};
  memcpy(at->digest, run->digest, DMDV_DIGEST_SZB);
  note_launch(m, number, keep(m, run->launch));
  return NULL;
}

static const char *take_records(void *ctx, uint32_t number, const dmd_stack_record_t *records,
                                size_t n) {
  dmdv_importing_t *m = ctx;
  dmdv_imported_run_t *run = dmdv_imported_run(m, number + 1);
  dmd_stackset_t set;
  dmd_stackset_init(&set, &dmdv_env, n);
  for (; set.n < n; set.n++)
    set.records[set.n] = records[set.n];
  dmdv_storedset_settle(&set);
  run->records = m->records.n;
  dmd_stackset_encode(&m->records, &set);
  run->n_records_szB = m->records.n - run->records;
  run->n_items += (uint32_t)set.n;
  run->last_stack = set.n == 0 ? 0 : (uint32_t)set.records[set.n - 1].stack + 1;
  dmd_stackset_destroy(&set);
  return NULL;
}

static const char *take_series(void *ctx, const char *kind, const char *name) {
  dmdv_importing_t *m = ctx;
  if (dmd_metric_kind_of(kind) == DMD_N_FIGURES)
    return "a series has an unknown kind";
  if (number_of(&m->series_keys, kind, name) <= m->series.last)
    return "a series comes twice";
  uint32_t number = dmd_pool_add(&m->series);
  *DMD_POOL_AT(&m->series, dmdv_imported_series_t, number) =
      (dmdv_imported_series_t){.kind = keep(m, kind), .name = keep(m, name)};
  return NULL;
}

static const char *take_value(void *ctx, uint32_t number, int64_t value) {
  dmdv_importing_t *m = ctx;
  dmdv_imported_run_t *run = dmdv_imported_run(m, number + 1);
  uint32_t at = dmd_pool_add(&m->values);
  *DMD_POOL_AT(&m->values, dmdv_imported_value_t, at) =
      (dmdv_imported_value_t){.next = run->value, .series = m->series.last, .value = value};
  run->value = at;
  run->n_items++;
  return NULL;
}

static const char *take_alarm(void *ctx, const dmd_history_item_alarm_t *alarm) {
  dmdv_importing_t *m = ctx;
  if (strcmp(alarm->state, "acknowledged") != 0)
    return "an alarm's \"state\" is not \"acknowledged\"";
  uint32_t number = dmd_pool_add(&m->alarms);
  *DMD_POOL_AT(&m->alarms, dmdv_imported_alarm_t, number) =
      (dmdv_imported_alarm_t){.series = alarm->series + 1,
                              .build = alarm->build + 1,
                              .environment = alarm->environment + 1,
                              .process = keep(m, alarm->process),
                              .moment = keep(m, alarm->moment),
                              .state = keep(m, alarm->state),
                              .reason = keep(m, alarm->reason)};
  return NULL;
}

const dmd_history_taker_t dmdv_importing_taker = {.environment = take_environment,
                                                  .build = take_build,
                                                  .stack = take_stack,
                                                  .run = take_run,
                                                  .records = take_records,
                                                  .series = take_series,
                                                  .value = take_value,
                                                  .alarm = take_alarm};

typedef struct {
  dmd_pool_t *pool;
  size_t szB;
} pool_t;

enum { N_POOLS = 10, N_INTERNS = 7 };

static void list_pools(dmdv_importing_t *m, pool_t pools[N_POOLS]) {
  const pool_t all[N_POOLS] = {{&m->environments, sizeof(dmdv_imported_environment_t)},
                               {&m->builds, sizeof(dmdv_imported_build_t)},
                               {&m->series, sizeof(dmdv_imported_series_t)},
                               {&m->stacks, sizeof(dmdv_imported_stack_t)},
                               {&m->runs, sizeof(dmdv_imported_run_t)},
                               {&m->values, sizeof(dmdv_imported_value_t)},
                               {&m->alarms, sizeof(dmdv_imported_alarm_t)},
                               {&m->groups, sizeof(dmdv_imported_group_t)},
                               {&m->launches, sizeof(dmdv_imported_launch_t)},
                               {&m->stack_frames, sizeof(uint32_t)}};
  memcpy(pools, all, sizeof all);
}

static void list_interns(dmdv_importing_t *m, dmd_intern_t *interns[N_INTERNS]) {
  dmd_intern_t *const all[N_INTERNS] = {&m->texts,      &m->frames,      &m->environment_keys,
                                        &m->build_keys, &m->series_keys, &m->group_keys,
                                        &m->launch_keys};
  memcpy(interns, all, sizeof all);
}

void dmdv_importing_begin(dmdv_importing_t *m) {
  pool_t pools[N_POOLS];
  dmd_intern_t *interns[N_INTERNS];
  *m = (dmdv_importing_t){.n_added = 0};
  list_pools(m, pools);
  list_interns(m, interns);
  for (int i = 0; i < N_POOLS; i++)
    dmd_pool_init(pools[i].pool, &dmdv_env, "dmdv.importing", pools[i].szB);
  for (int i = 0; i < N_INTERNS; i++)
    dmd_intern_init(interns[i], &dmdv_env, "dmdv.importing");
  dmd_strbuf_init(&m->records, &dmdv_env);
}

void dmdv_importing_end(dmdv_importing_t *m) {
  pool_t pools[N_POOLS];
  dmd_intern_t *interns[N_INTERNS];
  list_pools(m, pools);
  list_interns(m, interns);
  for (int i = 0; i < N_POOLS; i++)
    dmd_pool_destroy(pools[i].pool);
  for (int i = 0; i < N_INTERNS; i++)
    dmd_intern_destroy(interns[i]);
  dmd_strbuf_destroy(&m->records);
}
