/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/database.h"

#include "base/utf8.h"
#include "historydb/driver.h"
#include "historydb/schema.h"
#include "host/process.h"

#include <stdlib.h>
#include <string.h>

/* ---- For drivers. ---- */

bool dmdv_driver_fail(dmdv_database_t *db, const char *what, const char *advice) {
  if (!db->failed)
    dmdv_error("%s: %s%s", db->name, what, advice);
  db->failed = true;
  return false;
}

char *dmdv_driver_copy(const char *text) {
  size_t szB = strlen(text) + 1;
  return memcpy(dmd_env_alloc(&dmdv_env, "dmdv.database", szB), text, szB);
}

static void append_word(const dmdv_driver_t *driver, dmd_strbuf_t *to, const char *word, size_t n) {
  const char *const(*at)[2] = driver->words;
  while (strncmp((*at)[0], word, n) != 0 || (*at)[0][n] != '\0')
    at++;
  dmd_strbuf_str(to, (*at)[1]);
}

void dmdv_driver_translate(const dmdv_driver_t *driver, dmd_strbuf_t *to, const char *sql) {
  while (*sql != '\0') {
    size_t n = strcspn(sql, "?{");
    dmd_strbuf_bytes(to, sql, n);
    sql += n;
    if (*sql == '?') {
      dmd_strbuf_bytes(to, &driver->sign, 1);
      sql++;
    } else if (*sql == '{') {
      n = strcspn(sql, "}");
      append_word(driver, to, sql + 1, n - 1);
      sql += n + 1;
    }
  }
}

/* ---- Opening. ---- */

/* Seconds to wait for other writers: the user's setting, or a minute. */
static bool read_patience(dmdv_database_t *db) {
  enum { USUAL = 60, MOST = 24 * 60 * 60 };
  const char *text = getenv("DMD_HISTORY_WAIT");
  char *end;
  db->patience_s = USUAL;
  if (text == NULL || text[0] == '\0')
    return true;
  long seconds = strtol(text, &end, 10);
  if (*end != '\0' || seconds < 1 || seconds > MOST)
    return dmdv_error("DMD_HISTORY_WAIT=%s is not a number of seconds, from 1 to %d", text, MOST);
  db->patience_s = (int)seconds;
  return true;
}

static bool run_translated(dmdv_database_t *db, const char *sql) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &dmdv_env);
  dmdv_driver_translate(db->driver, &text, sql);
  bool good = db->driver->run(db, text.text);
  dmd_strbuf_destroy(&text);
  return good;
}

/* Whether the database is empty or has a history that this dmdv can read. */
static bool check_header(dmdv_database_t *db, const dmdv_header_t *header) {
  if (header->is_empty)
    return true;
  if (!header->is_ours)
    return dmdv_error("%s: the database belongs to another program", db->name);
  if (header->version < 1)
    return dmdv_error("%s: no dmdv writes histories of version %lld; it is damaged: restore a copy",
                      db->name, (long long)header->version);
  if (header->version > DMDV_SCHEMA_VERSION)
    return dmdv_error("%s: a newer dmdv wrote this history (version %lld; this one knows %d)",
                      db->name, (long long)header->version, DMDV_SCHEMA_VERSION);
  return true;
}

/* Creates the tables in an empty database, in one transaction: if several processes start at once,
 * the first one does it. */
static bool begin_to_write(dmdv_database_t *db) {
  dmdv_header_t header;
  return dmdv_database_begin(db) && db->driver->read_header(db, &header) &&
         check_header(db, &header) &&
         (!header.is_empty ||
          (run_translated(db, dmdv_tables) && db->driver->write_header(db, DMDV_SCHEMA_VERSION))) &&
         dmdv_database_commit(db);
}

/* Begins a transaction that lasts until the database is closed, so that the reader sees a single
 * state. */
static bool begin_to_read(dmdv_database_t *db) {
  dmdv_header_t header;
  if (!db->driver->run(db, db->driver->begin_to_read) || !db->driver->read_header(db, &header) ||
      !check_header(db, &header))
    return false;
  return !header.is_empty || dmdv_error("%s: the database has no history", db->name);
}

static const dmdv_driver_t *driver_of(const char *name) {
  if (strncmp(name, "postgresql://", 13) != 0 && strncmp(name, "postgres://", 11) != 0)
    return &dmdv_sqlite;
  if (dmdv_postgresql == NULL)
    dmdv_error("this dmdv was built without libpq, so a history has to be a file: install "
               "libpq-dev and build it again");
  return dmdv_postgresql;
}

dmdv_database_t *dmdv_database_open(const char *name, dmdv_open_t how) {
  const dmdv_driver_t *driver = driver_of(name);
  if (driver == NULL)
    return NULL;
  dmdv_database_t *db = dmd_env_alloc(&dmdv_env, "dmdv.database", driver->szB);
  memset(db, 0, driver->szB);
  db->driver = driver;
  db->state = DMDV_STEP_ENDED;
  dmd_strbuf_init(&db->texts, &dmdv_env);
  if (read_patience(db) && driver->open(db, name, how) &&
      (how == DMDV_OPEN_TO_READ ? begin_to_read(db) : begin_to_write(db)))
    return db;
  dmdv_database_close(db);
  return NULL;
}

void dmdv_database_close(dmdv_database_t *db) {
  db->driver->close(db);
  dmd_strbuf_destroy(&db->texts);
  dmd_env_free(&dmdv_env, db->name);
  dmd_env_free(&dmdv_env, db);
}

const char *dmdv_database_name(const dmdv_database_t *db) {
  return db->name;
}

bool dmdv_database_begin(dmdv_database_t *db) {
  return db->driver->run(db, db->driver->begin);
}

static void end_statement(dmdv_database_t *db) {
  if (db->state == DMDV_STEP_IN_ROWS)
    db->driver->end(db);
  db->state = DMDV_STEP_ENDED;
}

bool dmdv_database_commit(dmdv_database_t *db) {
  end_statement(db);
  return dmdv_sql_flush(db) && db->driver->run(db, "COMMIT");
}

void dmdv_database_give_way(dmdv_database_t *db) {
  if (db->driver->give_way != NULL)
    db->driver->give_way(db);
}

bool dmdv_database_size(dmdv_database_t *db, int64_t *szB) {
  return db->driver->size(db, szB);
}

bool dmdv_database_compact(dmdv_database_t *db) {
  end_statement(db);
  return db->driver->compact(db);
}

/* ---- Statements. ---- */

void dmdv_sql_start(dmdv_database_t *db, dmdv_sql_t sql) {
  end_statement(db);
  db->sql = sql;
  db->state = DMDV_STEP_NOT_BEGUN;
  db->n_values = 0;
  dmd_strbuf_cut(&db->texts, 0);
}

static dmdv_value_t *add_value(dmdv_database_t *db, dmdv_value_kind_t kind) {
  if (db->n_values == DMDV_MAX_VALUES)
    dmdv_env.panic(dmdv_env.ctx, "a statement with too many values");
  dmdv_value_t *value = &db->values[db->n_values++];
  *value = (dmdv_value_t){.kind = kind, .at = db->texts.n};
  return value;
}

void dmdv_sql_int(dmdv_database_t *db, int64_t number) {
  add_value(db, DMDV_VALUE_INT)->number = number;
}

void dmdv_sql_append_number(dmd_strbuf_t *numbers, int64_t number) {
  dmd_strbuf_str(numbers, numbers->n > 0 ? "," : "");
  dmd_strbuf_i64(numbers, number);
}

void dmdv_sql_text(dmdv_database_t *db, const char *text) {
  if (text == NULL) {
    dmdv_sql_null(db);
    return;
  }
  dmdv_value_t *value = add_value(db, DMDV_VALUE_TEXT);
  value->n = dmd_utf8_repair(NULL, text);
  dmd_utf8_repair(dmd_strbuf_reserve(&db->texts, value->n + 1), text);
  db->texts.n += value->n + 1;
}

void dmdv_sql_bytes(dmdv_database_t *db, const void *bytes, size_t n) {
  add_value(db, DMDV_VALUE_BYTES)->n = n;
  dmd_strbuf_bytes(&db->texts, bytes, n);
}

void dmdv_sql_null(dmdv_database_t *db) {
  add_value(db, DMDV_VALUE_NULL);
}

dmdv_sql_step_t dmdv_sql_step(dmdv_database_t *db) {
  if (db->state == DMDV_STEP_NOT_BEGUN && dmdv_sql_flush(db) && db->driver->start(db))
    db->state = DMDV_STEP_IN_ROWS;
  if (db->failed)
    return DMDV_SQL_FAILED;
  if (db->state != DMDV_STEP_IN_ROWS)
    return DMDV_SQL_DONE;
  dmdv_sql_step_t step = db->driver->step(db);
  if (step != DMDV_SQL_ROW)
    end_statement(db);
  return step;
}

int64_t dmdv_sql_column_int(dmdv_database_t *db, int column) {
  return db->driver->column_int(db, column);
}

const char *dmdv_sql_column_text(dmdv_database_t *db, int column) {
  const char *text = db->driver->column_text(db, column);
  return text == NULL ? "" : text;
}

const void *dmdv_sql_column_bytes(dmdv_database_t *db, int column, size_t *n) {
  return db->driver->column_bytes(db, column, n);
}

bool dmdv_sql_column_is_null(dmdv_database_t *db, int column) {
  return db->driver->column_is_null(db, column);
}

bool dmdv_sql_number(dmdv_database_t *db, int64_t *value) {
  *value = 0;
  dmdv_sql_step_t step;
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW)
    *value = dmdv_sql_column_int(db, 0);
  return step == DMDV_SQL_DONE;
}

bool dmdv_sql_is_good(const dmdv_database_t *db) {
  return !db->failed;
}

bool dmdv_sql_run(dmdv_database_t *db) {
  int64_t none;
  return dmdv_sql_number(db, &none);
}

void dmdv_sql_queue(dmdv_database_t *db, int64_t *value) {
  int64_t none;
  if (value == NULL && db->driver->queue == NULL)
    value = &none;
  if (value != NULL)
    *value = 0;
  if (db->driver->queue == NULL)
    dmdv_sql_number(db, value);
  else if (!db->failed)
    db->driver->queue(db, value);
  db->state = DMDV_STEP_ENDED;
}

bool dmdv_sql_flush(dmdv_database_t *db) {
  return !db->failed && (db->driver->flush == NULL || db->driver->flush(db));
}
