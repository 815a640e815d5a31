/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/importing.h"

#include "analyse/records/metrics.h"
#include "base/mem.h"
#include "historydb/importedrun.h"
#include "historydb/storedset.h"
#include "host/process.h"

#include <string.h>

static const char *keep(dmdv_importing_t *m, const char *text) {
  return dmd_intern_get_str(&m->texts, dmd_intern_str(&m->texts, text));
}

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
  dmdv_import_note_launch(m, number, keep(m, run->launch));
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
