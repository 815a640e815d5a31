/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/history/database.h"

#include "reader/history/schema.h"
#include "reader/host/host.h"
#include "reader/host/message.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

struct dmdv_database {
  sqlite3 *handle;
  char *name;
  sqlite3_stmt *statements[DMDV_N_SQL];
  sqlite3_stmt *current;
  int n_bound;
  bool failed; /* said so already */
};

enum { PATIENCE_MS = 60000 };

/* ---- What goes wrong. ---- */

/* What to do about it, for what people can do something about. */
static const char *advice(int code) {
  switch (code & 0xff) {
  case SQLITE_NOTADB:
  case SQLITE_CORRUPT:
    return "; it is no history, or damaged: give another --db, or restore a copy";
  case SQLITE_BUSY:
    return "; another process has kept it for a minute";
  case SQLITE_READONLY:
  case SQLITE_CANTOPEN:
    return "; may you write it, and the folder that it is in?";
  default:
    return "";
  }
}

/* Once is enough: what follows fails for the same reason. */
static bool fail(dmdv_database_t *db) {
  if (!db->failed)
    dmdv_error("%s: %s%s", db->name, sqlite3_errmsg(db->handle),
               advice(sqlite3_extended_errcode(db->handle)));
  db->failed = true;
  return false;
}

static bool run_text(dmdv_database_t *db, const char *sql) {
  return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK || fail(db);
}

/* A number of the file's header. */
static bool read_pragma(dmdv_database_t *db, const char *sql, int64_t *value) {
  sqlite3_stmt *statement;
  *value = 0;
  if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) != SQLITE_OK)
    return fail(db);
  bool good = sqlite3_step(statement) == SQLITE_ROW;
  if (good)
    *value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return good || fail(db);
}

/* ---- Opening. ---- */

static bool is_ours(dmdv_database_t *db, int64_t mark, int64_t version, int64_t n_tables) {
  bool is_empty = mark == 0 && version == 0 && n_tables == 0;
  if (mark != DMDV_HISTORY_MARK && !is_empty)
    return dmdv_error("%s: this is another program's SQLite file, not a history", db->name);
  if (version > DMDV_SCHEMA_VERSION)
    return dmdv_error("%s: a newer dmdv wrote this history (version %lld; this one knows %d)",
                      db->name, (long long)version, DMDV_SCHEMA_VERSION);
  return true;
}

/* Brings the tables up to date, in one transaction: of several processes that begin at once the
 * first does it. */
static bool migrate(dmdv_database_t *db, bool may_write) {
  int64_t mark, version, n_tables;
  if (may_write && !dmdv_database_begin(db))
    return false;
  if (!read_pragma(db, "PRAGMA application_id", &mark) ||
      !read_pragma(db, "PRAGMA user_version", &version) ||
      !read_pragma(db, "SELECT count(*) FROM sqlite_master", &n_tables) ||
      !is_ours(db, mark, version, n_tables))
    return false;
  if (!may_write)
    return version == DMDV_SCHEMA_VERSION ||
           dmdv_error("%s: an older dmdv wrote this history; dmdv history add brings it up to date",
                      db->name);
  for (; version < DMDV_SCHEMA_VERSION; version++)
    if (!run_text(db, dmdv_migrations[version]))
      return false;
  char text[96];
  snprintf(text, sizeof text, "PRAGMA application_id = %d; PRAGMA user_version = %d",
           DMDV_HISTORY_MARK, DMDV_SCHEMA_VERSION);
  return run_text(db, text) && dmdv_database_commit(db);
}

/* The write-ahead log lets others read while one writes; a kill loses what is not committed. */
static bool set_up(dmdv_database_t *db, dmdv_open_t how) {
  sqlite3_extended_result_codes(db->handle, 1);
  sqlite3_busy_timeout(db->handle, PATIENCE_MS);
  sqlite3_limit(db->handle, SQLITE_LIMIT_ATTACHED, 0);
  bool may_write = how != DMDV_OPEN_TO_READ;
  return run_text(db, "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF") &&
         (!may_write || run_text(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")) &&
         migrate(db, may_write);
}

dmdv_database_t *dmdv_database_open(const char *name, dmdv_open_t how) {
  static const int flags[] = {[DMDV_OPEN_TO_READ] = SQLITE_OPEN_READONLY,
                              [DMDV_OPEN_TO_WRITE] = SQLITE_OPEN_READWRITE,
                              [DMDV_OPEN_OR_CREATE] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE};
  dmdv_database_t *db = dmd_env_alloc(&dmdv_env, "dmdv.database", sizeof *db);
  *db = (dmdv_database_t){.name = dmd_env_alloc(&dmdv_env, "dmdv.database", strlen(name) + 1)};
  strcpy(db->name, name);
  if ((sqlite3_open_v2(name, &db->handle, flags[how], NULL) == SQLITE_OK || fail(db)) &&
      set_up(db, how))
    return db;
  dmdv_database_close(db);
  return NULL;
}

void dmdv_database_close(dmdv_database_t *db) {
  for (int i = 0; i < DMDV_N_SQL; i++)
    sqlite3_finalize(db->statements[i]);
  sqlite3_close(db->handle);
  dmd_env_free(&dmdv_env, db->name);
  dmd_env_free(&dmdv_env, db);
}

bool dmdv_database_begin(dmdv_database_t *db) {
  return run_text(db, "BEGIN IMMEDIATE");
}

bool dmdv_database_commit(dmdv_database_t *db) {
  return run_text(db, "COMMIT");
}

/* ---- Statements. ---- */

void dmdv_sql_start(dmdv_database_t *db, dmdv_sql_t sql) {
  sqlite3_stmt **statement = &db->statements[sql];
  if (*statement == NULL &&
      sqlite3_prepare_v2(db->handle, dmdv_sql[sql], -1, statement, NULL) != SQLITE_OK)
    fail(db);
  sqlite3_reset(*statement);
  db->current = *statement;
  db->n_bound = 0;
}

static void check_bound(dmdv_database_t *db, int code) {
  if (code != SQLITE_OK)
    fail(db);
}

void dmdv_sql_int(dmdv_database_t *db, int64_t value) {
  check_bound(db, sqlite3_bind_int64(db->current, ++db->n_bound, value));
}

void dmdv_sql_text(dmdv_database_t *db, const char *text) {
  check_bound(db, sqlite3_bind_text(db->current, ++db->n_bound, text, -1, SQLITE_TRANSIENT));
}

void dmdv_sql_bytes(dmdv_database_t *db, const void *bytes, size_t n) {
  check_bound(db, sqlite3_bind_blob64(db->current, ++db->n_bound, bytes, n, SQLITE_TRANSIENT));
}

void dmdv_sql_null(dmdv_database_t *db) {
  check_bound(db, sqlite3_bind_null(db->current, ++db->n_bound));
}

dmdv_sql_step_t dmdv_sql_step(dmdv_database_t *db) {
  if (db->failed)
    return DMDV_SQL_FAILED;
  switch (sqlite3_step(db->current)) {
  case SQLITE_ROW:
    return DMDV_SQL_ROW;
  case SQLITE_DONE:
    sqlite3_reset(db->current);
    return DMDV_SQL_DONE;
  default:
    fail(db);
    return DMDV_SQL_FAILED;
  }
}

int64_t dmdv_sql_column_int(dmdv_database_t *db, int column) {
  return sqlite3_column_int64(db->current, column);
}

const char *dmdv_sql_column_text(dmdv_database_t *db, int column) {
  const char *text = (const char *)sqlite3_column_text(db->current, column);
  return text == NULL ? "" : text;
}

const void *dmdv_sql_column_bytes(dmdv_database_t *db, int column, size_t *n) {
  const void *bytes = sqlite3_column_blob(db->current, column);
  *n = (size_t)sqlite3_column_bytes(db->current, column);
  return bytes;
}

bool dmdv_sql_column_is_null(dmdv_database_t *db, int column) {
  return sqlite3_column_type(db->current, column) == SQLITE_NULL;
}

bool dmdv_sql_number(dmdv_database_t *db, int64_t *value) {
  *value = 0;
  dmdv_sql_step_t step;
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW)
    *value = dmdv_sql_column_int(db, 0);
  return step == DMDV_SQL_DONE;
}

bool dmdv_sql_run(dmdv_database_t *db) {
  int64_t none;
  return dmdv_sql_number(db, &none);
}
