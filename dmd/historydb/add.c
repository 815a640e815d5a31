/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/add.h"

#include <stdio.h>
#include <string.h>

#include "analyse/records/metrics.h"
#include "analyse/tree/pathsums.h"
#include "base/strbuf.h"
#include "historydb/storedset.h"
#include "host/process.h"

/* ---- Rows by their contents. ---- */

/* If the row exists, the statement that adds it returns no id, and a second one finds it. */
static bool add_or_find(dmdv_database_t *db, dmdv_sql_t add, dmdv_sql_t find,
                        void (*bind)(dmdv_database_t *db, const void *row, bool is_new),
                        const void *row, int64_t *id, bool *was_there) {
  dmdv_sql_start(db, add);
  bind(db, row, true);
  if (!dmdv_sql_number(db, id))
    return false;
  *was_there = *id == 0;
  if (*id != 0)
    return true;
  dmdv_sql_start(db, find);
  bind(db, row, false);
  return dmdv_sql_number(db, id);
}

static void bind_build(dmdv_database_t *db, const void *row, bool is_new) {
  const dmdv_build_t *build = row;
  dmdv_sql_text(db, build->name);
  dmdv_sql_text(db, build->branch);
  if (is_new)
    dmdv_sql_int(db, build->time);
}

bool dmdv_build_id(dmdv_database_t *db, const dmdv_build_t *build, int64_t *id, bool *was_there) {
  return add_or_find(db, DMDV_SQL_ADD_BUILD, DMDV_SQL_FIND_BUILD, bind_build, build, id, was_there);
}

void dmdv_build_queue(dmdv_database_t *db, const dmdv_build_t *build, int64_t *id) {
  dmdv_sql_start(db, DMDV_SQL_ADD_BUILD);
  bind_build(db, build, true);
  dmdv_sql_queue(db, id);
}

static void bind_environment(dmdv_database_t *db, const void *row, bool is_new) {
  (void)is_new;
  dmdv_sql_text(db, row);
}

bool dmdv_environment_id(dmdv_database_t *db, const char *lines, int64_t *id) {
  bool was_there;
  return add_or_find(db, DMDV_SQL_ADD_ENVIRONMENT, DMDV_SQL_FIND_ENVIRONMENT, bind_environment,
                     lines, id, &was_there);
}

static void bind_series(dmdv_database_t *db, const void *row, bool is_new) {
  const char *const *words = row;
  (void)is_new;
  dmdv_sql_text(db, words[0]);
  dmdv_sql_text(db, words[1]);
}

bool dmdv_series_id(dmdv_database_t *db, const char *kind, const char *name, int64_t *id) {
  const char *const words[] = {kind, name};
  bool was_there;
  return add_or_find(db, DMDV_SQL_ADD_SERIES, DMDV_SQL_FIND_SERIES, bind_series, words, id,
                     &was_there);
}

/* ---- Adding a profile. ---- */

/* ---- The run's digest. ---- */

/* Digest that tells a run from others of the same build that have equal stored data. */
static void digest_of_run(unsigned char digest[DMDV_DIGEST_SZB], const dmd_run_t *run,
                          const unsigned char records[DMDV_DIGEST_SZB]) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &dmdv_env);
  dmd_strbuf_bytes(&text, (const char *)records, DMDV_DIGEST_SZB);
  dmd_strbuf_u64(&text, run->pid);
  dmd_strbuf_str(&text, " ");
  dmd_strbuf_u64(&text, run->dump_number);
  const char *words[] = {run->time, run->host, run->command};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    dmd_strbuf_str(&text, "\n");
    dmd_strbuf_str(&text, words[i] == NULL ? "" : words[i]);
  }
  dmdv_digest(digest, text.text, text.n);
  dmd_strbuf_destroy(&text);
}

/* Appends the program's name without its folders. */
static void append_program(dmd_strbuf_t *to, const dmd_profile_t *profile) {
  size_t n = 0;
  const char *program = dmd_profile_program(profile, &n);
  for (size_t i = 0; i < n; i++) {
    if (program[i] == '/')
      dmd_strbuf_cut(to, 0);
    else
      dmd_strbuf_bytes(to, &program[i], 1);
  }
}

/* The properties of a file; those that the caller left out are found out. */
typedef struct {
  /* The metrics come from one of these: */
  dmd_profile_t *profile;
  const dmd_amounts_t *amounts; /* NULL: the profile; otherwise the profile is empty */
  uint32_t process_id;          /* in the amounts' strings */
  const char *moment, *launch;
  dmd_strbuf_t process;
  int64_t build, environment; /* ids */
  int64_t waste;
} file_t;

/* Memory reports have no records: what tells them apart is what they say. */
static void digest_of_reports(unsigned char digest[DMDV_DIGEST_SZB], const dmd_amounts_t *m,
                              uint32_t process) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &dmdv_env);
  dmd_strbuf_str(&text, dmd_intern_get_str(&m->strings, process));
  for (uint32_t id = 1; id <= m->pool.last; id++)
    if (dmd_amounts_at(m, id)->process == process) {
      dmd_strbuf_str(&text, "\n");
      dmd_strbuf_i64(&text, dmd_amounts_at(m, id)->amount);
      dmd_strbuf_str(&text, " ");
      dmd_strbuf_str(&text, dmd_amounts_path(m, id));
    }
  dmdv_digest(digest, text.text, text.n);
  dmd_strbuf_destroy(&text);
}

/* The amounts' names of processes are normal (dmd_normalize). */
static void append_process(dmd_strbuf_t *to, const char *name) {
  const char *number = strstr(name, " (pid NNN)");
  dmd_strbuf_bytes(to, name, number != NULL ? (size_t)(number - name) : strlen(name));
}

static bool is_short(const char *what, const char *text) {
  return strlen(text) <= DMDV_MAX_NAME ||
         dmdv_error("history add: the %s is too long: at most %d bytes", what, DMDV_MAX_NAME);
}

static bool find_names(file_t *file, const dmdv_build_t *build, const dmdv_origin_t *origin) {
  const dmd_profile_t *profile = file->profile;
  file->moment = origin->moment;
  if (file->moment == NULL || file->moment[0] == '\0')
    file->moment = dmd_metrics_moment(profile);
  file->launch = origin->launch;
  file->waste = origin->waste;
  if (origin->process != NULL)
    dmd_strbuf_str(&file->process, origin->process);
  else if (file->amounts != NULL)
    append_process(&file->process, dmd_intern_get_str(&file->amounts->strings, file->process_id));
  else
    append_program(&file->process, profile);
  return is_short("build's name", build->name) && is_short("branch's name", build->branch) &&
         is_short("moment", file->moment) && is_short("process's name", file->process.text) &&
         (file->launch == NULL || is_short("run's name", file->launch)) &&
         (strlen(origin->environment) <= DMDV_MAX_ENVIRONMENT ||
          dmdv_error("history add: the environment is too long: at most %d bytes",
                     DMDV_MAX_ENVIRONMENT));
}

static bool add_records(dmdv_database_t *db, const file_t *file, int64_t *recordset,
                        unsigned char digest[DMDV_DIGEST_SZB]) {
  const dmd_profile_t *profile = file->profile;
  dmdv_storedset_like_t like = {0};
  dmd_stackset_t set = {0};
  bool good =
      dmdv_storedset_last(db, file->moment, file->environment, file->process.text, &like.id) &&
      dmdv_storedset_of(&set, digest, db, profile) &&
      dmdv_storedset_store(&set, digest, db, profile, like, recordset);
  dmd_stackset_destroy(&set);
  return good;
}

/* ---- Its metrics. ---- */

/* A metric of the run. Metrics whose names become equal once their volatile parts are removed are
 * added up.
 */
typedef struct {
  const char *kind;
  uint32_t name;
  int64_t series, value;
} figure_t;

typedef struct {
  dmd_intern_t names, keys; /* a key: kind and name */
  dmd_pool_t figures;       /* figure_t, by key */
} figures_t;

/* Replaces the end of a name that is too long for an index with a hash of the whole name. */
static void shorten(char *name) {
  enum { TAIL = 20 };
  unsigned char digest[DMDV_DIGEST_SZB];
  size_t n = strlen(name), end = DMDV_MAX_NAME - TAIL;
  if (n <= DMDV_MAX_NAME)
    return;
  dmdv_digest(digest, name, n);
  while (((unsigned char)name[end] & 0xc0) == 0x80) /* never cuts a UTF-8 character */
    end--;
  strcpy(name + end, "...");
  for (int i = 0; i < 8; i++)
    snprintf(name + end + 3 + 2 * i, 3, "%02x", digest[i]);
}

static void take_figure(void *ctx, dmd_metric_kind_t kind, const char *name, int64_t value) {
  figures_t *figures = ctx;
  char *normal = dmd_normalize(&dmdv_env, name);
  shorten(normal);
  const uint32_t key[] = {kind, dmd_intern_str(&figures->names, normal)};
  uint32_t id = dmd_intern_bytes(&figures->keys, key, sizeof key);
  dmd_env_free(&dmdv_env, normal);
  if (id > figures->figures.last) {
    dmd_pool_add(&figures->figures);
    *DMD_POOL_AT(&figures->figures, figure_t, id) =
        (figure_t){.kind = dmd_metric_kind_name(kind), .name = key[1]};
  }
  DMD_POOL_AT(&figures->figures, figure_t, id)->value += value;
}

/* The statements to run for a metric. */
typedef enum { FIND_SERIES, ADD_SERIES, ADD_VALUE } figure_step_t;

static bool run_step(dmdv_database_t *db, figures_t *figures, figure_step_t step, int64_t run) {
  static const dmdv_sql_t statements[] = {DMDV_SQL_FIND_SERIES, DMDV_SQL_ADD_SERIES,
                                          DMDV_SQL_ADD_VALUE};
  for (uint32_t id = 1; id <= figures->figures.last; id++) {
    figure_t *figure = DMD_POOL_AT(&figures->figures, figure_t, id);
    if (step == ADD_SERIES && figure->series != 0)
      continue;
    dmdv_sql_start(db, statements[step]);
    if (step == ADD_VALUE) {
      dmdv_sql_int(db, figure->series);
      dmdv_sql_int(db, run);
      dmdv_sql_int(db, figure->value);
    } else {
      dmdv_sql_text(db, figure->kind);
      dmdv_sql_text(db, dmd_intern_get_str(&figures->names, figure->name));
    }
    dmdv_sql_queue(db, step == ADD_VALUE ? NULL : &figure->series);
  }
  return dmdv_sql_flush(db);
}

static bool add_values(dmdv_database_t *db, int64_t run, const file_t *file) {
  figures_t figures;
  dmd_intern_init(&figures.names, &dmdv_env, "dmdv.history");
  dmd_intern_init(&figures.keys, &dmdv_env, "dmdv.history");
  dmd_pool_init(&figures.figures, &dmdv_env, "dmdv.history", sizeof(figure_t));
  if (file->amounts != NULL)
    dmd_pathsums_metrics(file->amounts, file->process_id, take_figure, &figures);
  else
    dmd_metrics_visit(file->profile, take_figure, &figures);
  if (file->waste >= 0)
    take_figure(&figures, DMD_METRIC_WASTE, "", file->waste);
  bool good = run_step(db, &figures, FIND_SERIES, run) && run_step(db, &figures, ADD_SERIES, run) &&
              run_step(db, &figures, ADD_VALUE, run);
  dmd_pool_destroy(&figures.figures);
  dmd_intern_destroy(&figures.keys);
  dmd_intern_destroy(&figures.names);
  return good;
}

/* ---- The file. ---- */

/* Starts a statement about the runs of the file's process in its build. */
static void start_of_process(dmdv_database_t *db, dmdv_sql_t sql, const file_t *file) {
  dmdv_sql_start(db, sql);
  dmdv_sql_int(db, file->build);
  dmdv_sql_text(db, file->moment);
  dmdv_sql_int(db, file->environment);
  dmdv_sql_text(db, file->process.text);
}

/* Chooses the launch if the caller does not give one: the n-th file of a process belongs to the
 * n-th launch. Where prune removed launches, the number may be taken. */
static bool name_launch(dmdv_database_t *db, const file_t *file, char text[24]) {
  int64_t next, n_runs = 1;
  if (file->launch != NULL)
    return true;
  start_of_process(db, DMDV_SQL_NEXT_LAUNCH, file);
  bool good = dmdv_sql_number(db, &next);
  for (; good && n_runs != 0; next++) {
    snprintf(text, 24, "%lld", (long long)next);
    start_of_process(db, DMDV_SQL_RUNS_OF_LAUNCH, file);
    dmdv_sql_text(db, text);
    good = dmdv_sql_number(db, &n_runs);
  }
  return good;
}

static bool add_run(dmdv_database_t *db, const file_t *file, bool *is_new) {
  int64_t run = 0, recordset;
  char launch[24] = "";
  unsigned char of_records[DMDV_DIGEST_SZB], digest[DMDV_DIGEST_SZB];
  if (!add_records(db, file, &recordset, of_records) || !name_launch(db, file, launch))
    return false;
  if (file->amounts != NULL)
    digest_of_reports(of_records, file->amounts, file->process_id);
  digest_of_run(digest, &file->profile->run, of_records);
  dmdv_sql_start(db, DMDV_SQL_ADD_RUN);
  dmdv_sql_int(db, file->build);
  dmdv_sql_text(db, file->moment);
  dmdv_sql_int(db, file->environment);
  dmdv_sql_bytes(db, digest, sizeof digest);
  dmdv_sql_int(db, recordset);
  dmdv_sql_text(db, file->process.text);
  dmdv_sql_text(db, file->launch != NULL ? file->launch : launch);
  if (!dmdv_sql_number(db, &run))
    return false;
  *is_new = run != 0;
  return run == 0 || add_values(db, run, file);
}

static bool add_file(dmdv_database_t *db, const dmdv_build_t *build, const dmdv_origin_t *origin,
                     file_t *file, bool *is_new) {
  bool is_there;
  dmd_strbuf_init(&file->process, &dmdv_env);
  bool good = find_names(file, build, origin) && dmdv_database_begin(db) &&
              dmdv_build_id(db, build, &file->build, &is_there) &&
              dmdv_environment_id(db, origin->environment, &file->environment) &&
              add_run(db, file, is_new) && dmdv_database_commit(db);
  dmd_strbuf_destroy(&file->process);
  return good;
}

bool dmdv_history_add(dmdv_database_t *db, const dmdv_build_t *build, const dmdv_origin_t *origin,
                      dmd_profile_t *profile, bool *is_new) {
  file_t file = {.profile = profile};
  return add_file(db, build, origin, &file, is_new);
}

bool dmdv_history_add_reports(dmdv_database_t *db, const dmdv_build_t *build,
                              const dmdv_origin_t *origin, const dmd_amounts_t *amounts,
                              uint32_t process, bool *is_new) {
  dmd_profile_t none;
  dmd_profile_init(&none, &dmdv_env);
  file_t file = {.profile = &none, .amounts = amounts, .process_id = process};
  bool good = add_file(db, build, origin, &file, is_new);
  dmd_profile_destroy(&none);
  return good;
}
