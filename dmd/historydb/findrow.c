/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/findrow.h"

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
