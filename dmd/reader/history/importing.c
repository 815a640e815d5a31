/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/history/importing.h"

#include "analysis/figures.h"
#include "reader/history/importedrun.h"
#include "reader/history/rows.h"
#include "reader/host/host.h"

#include <string.h>

/* What is returned where the database has said why. */
static const char said[] = "";

static const char *keep(dmdv_importing_t *m, const char *text) {
  return dmd_intern_get_str(&m->texts, dmd_intern_str(&m->texts, text));
}

/* Appends an id to those of one kind. */
static int64_t *add_id(dmd_pool_t *ids) {
  uint32_t number = dmd_pool_add(ids);
  return DMD_POOL_AT(ids, int64_t, number);
}

static int64_t id_at(const dmd_pool_t *ids, uint32_t number) {
  return *DMD_POOL_AT(ids, const int64_t, number + 1);
}

/* Whether no row with this id came before. */
static bool is_new(dmd_map_t *ids, int64_t id) {
  bool was_there = dmd_map_find(ids, (uint64_t)id) != NULL;
  if (!was_there)
    dmd_map_add(ids, (uint64_t)id, ids);
  return !was_there;
}

static const char *take_environment(void *ctx, const char *lines) {
  dmdv_importing_t *m = ctx;
  int64_t *id = add_id(&m->environments);
  if (!dmdv_environment_id(m->db, lines, id))
    return said;
  return is_new(&m->environment_ids, *id) ? NULL : "an environment comes twice";
}

static const char *take_build(void *ctx, const dmd_history_item_build_t *build) {
  dmdv_importing_t *m = ctx;
  uint32_t number = dmd_pool_add(&m->builds);
  dmdv_imported_build_t *at = DMD_POOL_AT(&m->builds, dmdv_imported_build_t, number);
  const dmdv_build_t row = {build->name, build->branch, build->time};
  if (!dmdv_build_id(m->db, &row, &at->id, &at->was_there))
    return said;
  return is_new(&m->build_ids, at->id) ? NULL : "a build comes twice";
}

/* ---- Stacks: looked up some thousand at a time. ---- */

enum { MAX_WAITING = 2000 };

static dmdv_imported_stack_t *stack_at(const dmdv_importing_t *m, uint32_t number) {
  return DMD_POOL_AT(&m->stacks, dmdv_imported_stack_t, number);
}

static bool find_stacks(dmdv_importing_t *m) {
  dmd_strbuf_t digests;
  dmdv_sql_step_t step;
  dmd_strbuf_init(&digests, &dmdv_env);
  for (uint32_t number = m->n_stacks + 1; number <= m->stacks.last; number++)
    dmd_strbuf_bytes(&digests, (const char *)stack_at(m, number)->digest, DMDV_DIGEST_SZB);
  dmdv_sql_start(m->db, DMDV_SQL_FIND_STACKS);
  dmdv_sql_bytes(m->db, digests.text, digests.n);
  dmdv_sql_int(m->db, m->stacks.last - m->n_stacks);
  while ((step = dmdv_sql_step(m->db)) == DMDV_SQL_ROW)
    stack_at(m, m->n_stacks + 1 + (uint32_t)dmdv_sql_column_int(m->db, 0))->id =
        dmdv_sql_column_int(m->db, 1);
  dmd_strbuf_destroy(&digests);
  return step == DMDV_SQL_DONE;
}

static bool add_stacks(dmdv_importing_t *m, bool *again) {
  const char *frames = m->frames.text;
  for (uint32_t number = m->n_stacks + 1; number <= m->stacks.last; number++) {
    dmdv_imported_stack_t *stack = stack_at(m, number);
    if (stack->id == 0) {
      dmdv_sql_start(m->db, DMDV_SQL_ADD_STACK);
      dmdv_sql_bytes(m->db, stack->digest, DMDV_DIGEST_SZB);
      dmdv_sql_text(m->db, frames);
      dmdv_sql_queue(m->db, &stack->id);
    }
    frames += strlen(frames) + 1;
  }
  bool good = dmdv_sql_flush(m->db);
  for (uint32_t number = m->n_stacks + 1; number <= m->stacks.last && !*again; number++)
    *again = stack_at(m, number)->id == 0;
  return good;
}

/* Two that are equal without lines are one, which is found when the first has been added. */
static bool settle_stacks(dmdv_importing_t *m) {
  bool again = false;
  if (m->n_stacks == m->stacks.last)
    return true;
  bool good = find_stacks(m) && add_stacks(m, &again) && (!again || find_stacks(m));
  m->n_stacks = m->stacks.last;
  dmd_strbuf_cut(&m->frames, 0);
  return good;
}

static const char *take_stack(void *ctx, const char *frames) {
  dmdv_importing_t *m = ctx;
  uint32_t number = dmd_pool_add(&m->stacks);
  dmdv_imported_stack_t *stack = stack_at(m, number);
  stack->id = 0;
  dmdv_digest_of_frames(stack->digest, frames);
  dmd_strbuf_bytes(&m->frames, frames, strlen(frames) + 1);
  return m->stacks.last - m->n_stacks < MAX_WAITING || settle_stacks(m) ? NULL : said;
}

/* ---- Runs. ---- */

static const char *take_run(void *ctx, const dmd_history_item_run_t *run) {
  dmdv_importing_t *m = ctx;
  uint32_t number = dmd_pool_add(&m->runs);
  dmdv_imported_run_t *at = DMD_POOL_AT(&m->runs, dmdv_imported_run_t, number);
  const dmdv_imported_build_t *build =
      DMD_POOL_AT(&m->builds, const dmdv_imported_build_t, run->build + 1);
  *at = (dmdv_imported_run_t){.build = build->id,
                              .environment = id_at(&m->environments, run->environment),
                              .moment = keep(m, run->moment),
                              .process = keep(m, run->process),
                              .launch = keep(m, run->launch),
                              .build_was_there = build->was_there};
  memcpy(at->digest, run->digest, DMDV_DIGEST_SZB);
  return NULL;
}

/* What there is between the runs and their records. */
static bool prepare(dmdv_importing_t *m) {
  bool good = m->has_launches || (settle_stacks(m) && dmdv_import_launches(m));
  m->has_launches = true;
  return good;
}

/* As a set of the database's stacks. */
static void make_difference(dmdv_importing_t *m, dmd_recordset_t *difference,
                            const dmd_stack_record_t *records, size_t n) {
  dmd_recordset_init(difference, &dmdv_env, n);
  for (size_t i = 0; i < n; i++) {
    dmd_stack_record_t *record = &difference->records[difference->n++];
    *record = records[i];
    record->of_profile = (uint32_t)records[i].stack + 1;
    record->stack = stack_at(m, record->of_profile)->id;
  }
  dmdv_recordset_settle(difference);
}

/* Takes the record of this stack and section out of a digest, or adds it. */
static void change_digest(const dmdv_importing_t *m, unsigned char digest[DMDV_DIGEST_SZB],
                          const dmd_recordset_t *set, const dmd_stack_record_t *which,
                          bool is_minus) {
  const dmd_stack_record_t *record = dmd_recordset_find(set, which);
  if (record != NULL)
    dmdv_recordset_digest(digest, stack_at(m, which->of_profile)->digest, record, is_minus);
}

static bool add_run(dmdv_importing_t *m, dmdv_imported_run_t *run, int64_t recordset) {
  dmdv_database_t *db = m->db;
  dmdv_sql_start(db, DMDV_SQL_ADD_RUN);
  dmdv_sql_int(db, run->build);
  dmdv_sql_text(db, run->moment);
  dmdv_sql_int(db, run->environment);
  dmdv_sql_bytes(db, run->digest, DMDV_DIGEST_SZB);
  dmdv_sql_int(db, recordset);
  dmdv_sql_text(db, run->process);
  dmdv_sql_text(db, run->launch);
  if (!dmdv_sql_number(db, &run->id))
    return false;
  m->n_added += run->id != 0;
  return true;
}

/* The set as the difference from that of the run before, or from the last one in the history. */
static bool store(dmdv_importing_t *m, const dmdv_imported_run_t *run, const dmdv_line_t *before,
                  const dmd_recordset_t *set, const unsigned char digest[DMDV_DIGEST_SZB],
                  int64_t *id) {
  dmdv_recordset_like_t like = {.id = before->id, .set = &before->set};
  if (like.id == 0)
    like.set = NULL;
  return (like.id != 0 ||
          dmdv_recordset_last(m->db, run->moment, run->environment, run->process, &like.id)) &&
         dmdv_recordset_store(set, digest, m->db, NULL, like, id);
}

/* Brings the line up to the run, whose set differs from the last one's. */
static bool go_on(dmdv_importing_t *m, const dmdv_imported_run_t *run, dmdv_line_t *line,
                  const dmd_recordset_t *difference) {
  dmd_recordset_t set;
  int64_t id = 0;
  dmd_recordset_add(&set, &line->set, difference);
  for (size_t i = 0; i < difference->n; i++) {
    change_digest(m, line->digest, &line->set, &difference->records[i], true);
    change_digest(m, line->digest, &set, &difference->records[i], false);
  }
  bool good = run->is_there || store(m, run, line, &set, line->digest, &id);
  dmdv_line_set(line, &set);
  line->id = id;
  return good;
}

static const char *take_records(void *ctx, uint32_t number, const dmd_stack_record_t *records,
                                size_t n) {
  dmdv_importing_t *m = ctx;
  if (!prepare(m))
    return said;
  dmdv_imported_run_t *run = DMD_POOL_AT(&m->runs, dmdv_imported_run_t, number + 1);
  dmdv_line_t *line = dmdv_lines_at(&m->lines, run->moment, run->environment, run->process);
  dmd_recordset_t difference;
  make_difference(m, &difference, records, n);
  bool good =
      (difference.n == 0 && (line->id != 0 || run->is_there)) || go_on(m, run, line, &difference);
  dmd_recordset_destroy(&difference);
  m->n_runs++;
  return good && (run->is_there || add_run(m, run, line->id)) ? NULL : said;
}

/* ---- Series and alarms. ---- */

static const char *take_series(void *ctx, const char *kind, const char *name) {
  dmdv_importing_t *m = ctx;
  dmd_strbuf_t key;
  if (dmd_figure_kind_of(kind) == DMD_N_FIGURES)
    return "a series has a kind that this dmdv does not know";
  dmd_strbuf_init(&key, &dmdv_env);
  dmd_strbuf_bytes(&key, kind, strlen(kind) + 1);
  dmd_strbuf_str(&key, name);
  uint32_t number = dmd_intern_bytes(&m->series_names, key.text, key.n);
  dmd_strbuf_destroy(&key);
  if (number <= m->series.last)
    return "a series comes twice";
  return dmdv_series_id(m->db, kind, name, add_id(&m->series)) ? NULL : said;
}

static const char *take_value(void *ctx, uint32_t number, int64_t value) {
  dmdv_importing_t *m = ctx;
  const dmdv_imported_run_t *run = DMD_POOL_AT(&m->runs, const dmdv_imported_run_t, number + 1);
  if (run->id == 0)
    return NULL;
  dmdv_sql_start(m->db, DMDV_SQL_ADD_VALUE);
  dmdv_sql_int(m->db, *DMD_POOL_AT(&m->series, const int64_t, m->series.last));
  dmdv_sql_int(m->db, run->id);
  dmdv_sql_int(m->db, value);
  dmdv_sql_queue(m->db, NULL);
  return dmdv_sql_is_good(m->db) ? NULL : said;
}

static const char *take_alarm(void *ctx, const dmd_history_item_alarm_t *alarm) {
  dmdv_importing_t *m = ctx;
  if (strcmp(alarm->state, "acknowledged") != 0)
    return "an alarm's \"state\" is not \"acknowledged\"";
  dmdv_sql_start(m->db, DMDV_SQL_ADD_ALARM);
  dmdv_sql_int(m->db, id_at(&m->series, alarm->series));
  dmdv_sql_text(m->db, alarm->process);
  dmdv_sql_text(m->db, alarm->moment);
  dmdv_sql_int(m->db, id_at(&m->environments, alarm->environment));
  dmdv_sql_int(m->db, DMD_POOL_AT(&m->builds, dmdv_imported_build_t, alarm->build + 1)->id);
  dmdv_sql_text(m->db, alarm->state);
  dmdv_sql_text(m->db, alarm->reason);
  return dmdv_sql_run(m->db) ? NULL : said;
}

const dmd_history_taker_t dmdv_importing_taker = {.environment = take_environment,
                                                  .build = take_build,
                                                  .stack = take_stack,
                                                  .run = take_run,
                                                  .records = take_records,
                                                  .series = take_series,
                                                  .value = take_value,
                                                  .alarm = take_alarm};

/* ---- All of it. ---- */

bool dmdv_importing_begin(dmdv_importing_t *m, dmdv_database_t *db) {
  *m = (dmdv_importing_t){.db = db};
  dmd_intern_init(&m->texts, &dmdv_env, "dmdv.importing");
  dmd_intern_init(&m->series_names, &dmdv_env, "dmdv.importing");
  dmd_pool_init(&m->environments, &dmdv_env, "dmdv.importing", sizeof(int64_t));
  dmd_pool_init(&m->series, &dmdv_env, "dmdv.importing", sizeof(int64_t));
  dmd_pool_init(&m->builds, &dmdv_env, "dmdv.importing", sizeof(dmdv_imported_build_t));
  dmd_pool_init(&m->stacks, &dmdv_env, "dmdv.importing", sizeof(dmdv_imported_stack_t));
  dmd_pool_init(&m->runs, &dmdv_env, "dmdv.importing", sizeof(dmdv_imported_run_t));
  dmd_map_init(&m->environment_ids, &dmdv_env, "dmdv.importing");
  dmd_map_init(&m->build_ids, &dmdv_env, "dmdv.importing");
  dmd_strbuf_init(&m->frames, &dmdv_env);
  dmdv_lines_init(&m->lines);
  return dmdv_database_begin(db);
}

bool dmdv_importing_finish(dmdv_importing_t *m) {
  return settle_stacks(m) && dmdv_database_commit(m->db);
}

void dmdv_importing_end(dmdv_importing_t *m) {
  dmdv_lines_destroy(&m->lines);
  dmd_strbuf_destroy(&m->frames);
  dmd_map_destroy(&m->build_ids);
  dmd_map_destroy(&m->environment_ids);
  dmd_pool_destroy(&m->runs);
  dmd_pool_destroy(&m->stacks);
  dmd_pool_destroy(&m->builds);
  dmd_pool_destroy(&m->series);
  dmd_pool_destroy(&m->environments);
  dmd_intern_destroy(&m->series_names);
  dmd_intern_destroy(&m->texts);
}
