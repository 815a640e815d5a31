/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/history/add.h"

#include "analysis/figures.h"
#include "analysis/normalize.h"
#include "base/strbuf.h"
#include "reader/history/recordset.h"
#include "reader/host/host.h"
#include "reader/host/message.h"

#include <string.h>

/* ---- Rows that may be there. ---- */

static bool build_id(dmdv_database_t *db, const dmdv_build_t *build, int64_t *id) {
  dmdv_sql_start(db, DMDV_SQL_ADD_BUILD);
  dmdv_sql_text(db, build->name);
  dmdv_sql_text(db, build->branch);
  dmdv_sql_int(db, build->time);
  if (!dmdv_sql_number(db, id) || *id != 0)
    return *id != 0;
  dmdv_sql_start(db, DMDV_SQL_FIND_BUILD);
  dmdv_sql_text(db, build->name);
  dmdv_sql_text(db, build->branch);
  return dmdv_sql_number(db, id);
}

static bool environment_id(dmdv_database_t *db, const char *lines, int64_t *id) {
  dmdv_sql_start(db, DMDV_SQL_ADD_ENVIRONMENT);
  dmdv_sql_text(db, lines);
  if (!dmdv_sql_number(db, id) || *id != 0)
    return *id != 0;
  dmdv_sql_start(db, DMDV_SQL_FIND_ENVIRONMENT);
  dmdv_sql_text(db, lines);
  return dmdv_sql_number(db, id);
}

static bool series_id(dmdv_database_t *db, const char *kind, const char *name, int64_t *id) {
  dmdv_sql_start(db, DMDV_SQL_FIND_SERIES);
  dmdv_sql_text(db, kind);
  dmdv_sql_text(db, name);
  if (!dmdv_sql_number(db, id) || *id != 0)
    return *id != 0;
  dmdv_sql_start(db, DMDV_SQL_ADD_SERIES);
  dmdv_sql_text(db, kind);
  dmdv_sql_text(db, name);
  return dmdv_sql_number(db, id);
}

/* ---- A run. ---- */

/* What tells a run from others of the same build that are equal in all that is kept. */
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

static bool add_records(dmdv_database_t *db, const char *moment, int64_t environment,
                        const dmd_profile_t *profile, int64_t *id,
                        unsigned char digest[DMDV_DIGEST_SZB]) {
  int64_t like;
  dmdv_sql_start(db, DMDV_SQL_LAST_RECORDSET);
  dmdv_sql_text(db, moment);
  dmdv_sql_int(db, environment);
  dmd_recordset_t set = {0};
  bool good = dmdv_sql_number(db, &like) && dmdv_recordset_of(&set, db, profile) &&
              dmdv_recordset_store(&set, db, profile, like, id, digest);
  dmd_recordset_destroy(&set);
  return good;
}

typedef struct {
  dmdv_database_t *db;
  int64_t run;
  dmd_intern_t names; /* `kind name` of what was added: names may become equal */
  bool good;
} values_t;

static void add_value(void *ctx, dmd_figure_kind_t kind, const char *name, int64_t value) {
  values_t *v = ctx;
  int64_t series = 0;
  char *normal = dmd_normalize(&dmdv_env, name);
  dmd_strbuf_t key;
  dmd_strbuf_init(&key, &dmdv_env);
  dmd_strbuf_str(&key, dmd_figure_kind_name(kind));
  dmd_strbuf_str(&key, " ");
  dmd_strbuf_str(&key, normal);
  uint32_t n = dmd_intern_count(&v->names);
  bool is_first = dmd_intern_str(&v->names, key.text) > n;
  dmd_strbuf_destroy(&key);
  v->good = v->good && series_id(v->db, dmd_figure_kind_name(kind), normal, &series);
  dmd_env_free(&dmdv_env, normal);
  if (!v->good)
    return;
  dmdv_sql_start(v->db, is_first ? DMDV_SQL_ADD_VALUE : DMDV_SQL_RAISE_VALUE);
  dmdv_sql_int(v->db, series);
  dmdv_sql_int(v->db, v->run);
  dmdv_sql_int(v->db, value);
  v->good = dmdv_sql_run(v->db);
}

static bool add_values(dmdv_database_t *db, int64_t run, dmd_profile_t *profile) {
  values_t values = {.db = db, .run = run, .good = true};
  dmd_intern_init(&values.names, &dmdv_env, "dmdv.history");
  dmd_figures_visit(profile, add_value, &values);
  dmd_intern_destroy(&values.names);
  return values.good;
}

static bool add_run(dmdv_database_t *db, const dmdv_build_t *build, const char *moment,
                    const char *lines, dmd_profile_t *profile, bool *is_new) {
  int64_t of_build, environment, records, run = 0;
  unsigned char content[DMDV_DIGEST_SZB], digest[DMDV_DIGEST_SZB];
  if (!build_id(db, build, &of_build) || !environment_id(db, lines, &environment) ||
      !add_records(db, moment, environment, profile, &records, content))
    return false;
  digest_of_run(digest, &profile->run, content);
  dmdv_sql_start(db, DMDV_SQL_ADD_RUN);
  dmdv_sql_int(db, of_build);
  dmdv_sql_text(db, moment);
  dmdv_sql_int(db, environment);
  dmdv_sql_bytes(db, digest, sizeof digest);
  dmdv_sql_int(db, records);
  if (!dmdv_sql_number(db, &run))
    return false;
  *is_new = run != 0;
  return run == 0 || add_values(db, run, profile);
}

bool dmdv_history_add(dmdv_database_t *db, const dmdv_build_t *build, const char *moment,
                      const char *environment, dmd_profile_t *profile, bool *is_new) {
  if (moment == NULL)
    moment = profile->run.label;
  if (moment == NULL || moment[0] == '\0')
    moment = "exit";
  return dmdv_database_begin(db) && add_run(db, build, moment, environment, profile, is_new) &&
         dmdv_database_commit(db);
}
