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

/* ---- Its figures. ---- */

/* A figure of the run; those whose names become equal without what differs from run to run are one.
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

static void take_figure(void *ctx, dmd_figure_kind_t kind, const char *name, int64_t value) {
  figures_t *figures = ctx;
  char *normal = dmd_normalize(&dmdv_env, name);
  const uint32_t key[] = {kind, dmd_intern_str(&figures->names, normal)};
  uint32_t id = dmd_intern_bytes(&figures->keys, key, sizeof key);
  dmd_env_free(&dmdv_env, normal);
  if (id > figures->figures.last) {
    dmd_pool_add(&figures->figures);
    *DMD_POOL_AT(&figures->figures, figure_t, id) =
        (figure_t){.kind = dmd_figure_kind_name(kind), .name = key[1]};
  }
  DMD_POOL_AT(&figures->figures, figure_t, id)->value += value;
}

/* What is to be known of a figure, by one statement for each. */
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

static bool add_values(dmdv_database_t *db, int64_t run, dmd_profile_t *profile) {
  figures_t figures;
  dmd_intern_init(&figures.names, &dmdv_env, "dmdv.history");
  dmd_intern_init(&figures.keys, &dmdv_env, "dmdv.history");
  dmd_pool_init(&figures.figures, &dmdv_env, "dmdv.history", sizeof(figure_t));
  dmd_figures_visit(profile, take_figure, &figures);
  bool good = run_step(db, &figures, FIND_SERIES, run) && run_step(db, &figures, ADD_SERIES, run) &&
              run_step(db, &figures, ADD_VALUE, run);
  dmd_pool_destroy(&figures.figures);
  dmd_intern_destroy(&figures.keys);
  dmd_intern_destroy(&figures.names);
  return good;
}

/* ---- All of it. ---- */

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
  if (moment == NULL || moment[0] == '\0')
    moment = dmd_figures_moment(profile);
  return dmdv_database_begin(db) && add_run(db, build, moment, environment, profile, is_new) &&
         dmdv_database_commit(db);
}
