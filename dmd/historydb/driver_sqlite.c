/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A history in a file, with a rollback journal during writes. A reader creates no file: its lock
 * keeps writers from committing, and only while it reads. A transaction stays in memory until its
 * end, so that a writer blocks readers only briefly. A kill loses what is not committed; the next
 * writer rolls back a partial write.
 *
 * Any program can switch a file to SQLite's WAL mode. walfile.h reads such a file, and the next
 * writer switches it back.
 */
#include "historydb/driver.h"
#include "historydb/schema.h"
#include "historydb/walfile.h"
#include "host/process.h"

#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* SQLite does not queue writers: a waiting writer retries after TRY_MS. A writer that gives way
 * pauses for longer, so that a waiting one is sure to go next. */
enum { TRY_MS = 5, GIVE_WAY_MS = 4 * TRY_MS };

typedef struct {
  dmdv_database_t base;
  sqlite3 *handle;
  int64_t waits_since_ms;
  char kept[112]; /* the hint when others have locked it */
  sqlite3_stmt *statements[DMDV_N_SQL];
} sqlite_t;

static const char *const words[][2] = {
    {"schema", ""},    {"id", "INTEGER PRIMARY KEY"}, {"int", "INTEGER"}, {"text", "TEXT"},
    {"bytes", "BLOB"}, {"packed", "WITHOUT ROWID"},   {NULL, NULL}};

/* ---- Errors. ---- */

/* The hint for errors that users can do something about. */
static const char *advice(sqlite_t *db, int code) {
  if (code == SQLITE_READONLY_ROLLBACK)
    return "; a process that wrote it was killed: let its owner run dmdv history list";
  switch (code & 0xff) {
  case SQLITE_NOTADB:
  case SQLITE_CORRUPT:
    return "; it is not a history, or it is damaged: give another --db, or restore a copy";
  case SQLITE_FULL:
  case SQLITE_IOERR:
    return "; is the disk full?";
  case SQLITE_BUSY:
    snprintf(db->kept, sizeof db->kept,
             "; another process has locked it for %d s; DMD_HISTORY_WAIT sets how long to wait",
             db->base.patience_s);
    return db->kept;
  case SQLITE_READONLY:
  case SQLITE_CANTOPEN:
    return dmdv_walfile_is_in_the_way(db->base.name)
               ? "; a reader of another user left the -shm file beside it: remove that"
               : "; do you have write access to it, and to its folder?";
  default:
    return "";
  }
}

static bool fail_with(sqlite_t *db, int code) {
  const char *what = db->handle != NULL ? sqlite3_errmsg(db->handle) : sqlite3_errstr(code);
  return dmdv_driver_fail(&db->base, what, advice(db, code));
}

static bool fail(sqlite_t *db) {
  return fail_with(db, sqlite3_extended_errcode(db->handle));
}

static sqlite_t *self(dmdv_database_t *db) {
  return (sqlite_t *)db;
}

static bool run(dmdv_database_t *db, const char *sql) {
  return sqlite3_exec(self(db)->handle, sql, NULL, NULL, NULL) == SQLITE_OK || fail(self(db));
}

static bool read_number(sqlite_t *db, const char *sql, int64_t *value) {
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

/* ---- Waiting for other writers. ---- */

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* SQLite's busy handler: whether to retry after so many tries. */
static int wait_for_others(void *ctx, int n_tries) {
  sqlite_t *db = ctx;
  if (n_tries == 0)
    db->waits_since_ms = now_ms();
  else if (now_ms() - db->waits_since_ms >= (int64_t)db->base.patience_s * 1000)
    return 0;
  sqlite3_sleep(TRY_MS);
  return 1;
}

static void give_way(dmdv_database_t *base) {
  (void)base;
  sqlite3_sleep(GIVE_WAY_MS);
}

/* ---- Opening. ---- */

static bool set_up(sqlite_t *db) {
  sqlite3_extended_result_codes(db->handle, 1);
  sqlite3_busy_handler(db->handle, wait_for_others, db);
  sqlite3_limit(db->handle, SQLITE_LIMIT_ATTACHED, 0);
  return run(&db->base, "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;"
                        "PRAGMA temp_store = MEMORY");
}

/* A killed writer leaves a journal that must be rolled back before anybody reads. Only the owner of
 * both files does so: others could have made the journal, which can name files to delete. */
static bool may_play_back(const char *name) {
  dmd_strbuf_t journal;
  struct stat db, its;
  dmd_strbuf_init(&journal, &dmdv_env);
  dmd_strbuf_str(&journal, name);
  dmd_strbuf_str(&journal, "-journal");
  bool may = stat(name, &db) == 0 && lstat(journal.text, &its) == 0 && db.st_uid == geteuid() &&
             its.st_uid == geteuid();
  dmd_strbuf_destroy(&journal);
  return may;
}

static bool open_read_write(sqlite_t *db, int flags) {
  sqlite3_close(db->handle);
  db->handle = NULL;
  int code = sqlite3_open_v2(db->base.name, &db->handle, SQLITE_OPEN_READWRITE | flags, NULL);
  return (code == SQLITE_OK || fail_with(db, code)) && set_up(db);
}

static bool open_to_read(sqlite_t *db) {
  const char *name = db->base.name;
  int code = dmdv_walfile_is(name) ? dmdv_walfile_open(name, &db->handle)
                                   : sqlite3_open_v2(name, &db->handle, SQLITE_OPEN_READONLY, NULL);
  if (code != SQLITE_OK)
    return fail_with(db, code);
  if (!set_up(db))
    return false;
  sqlite3_exec(db->handle, "PRAGMA schema_version", NULL, NULL, NULL);
  return sqlite3_extended_errcode(db->handle) != SQLITE_READONLY_ROLLBACK || !may_play_back(name) ||
         (open_read_write(db, 0) && run(&db->base, "PRAGMA query_only = ON"));
}

/* Leaves WAL mode, unless others have the file open right now. Does not touch databases of other
 * programs. */
static bool open_to_write(sqlite_t *db, int flags) {
  int64_t mark;
  if (!open_read_write(db, flags) || !run(&db->base, "PRAGMA cache_spill = OFF") ||
      !read_number(db, "PRAGMA application_id", &mark))
    return false;
  if (mark == DMDV_HISTORY_MARK)
    sqlite3_exec(db->handle, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
  return true;
}

static bool open_file(dmdv_database_t *base, const char *name, dmdv_open_t how) {
  sqlite_t *db = self(base);
  base->name = dmdv_driver_copy(name);
  return how == DMDV_OPEN_TO_READ
             ? open_to_read(db)
             : open_to_write(db, how == DMDV_OPEN_OR_CREATE ? SQLITE_OPEN_CREATE : 0);
}

static void close_file(dmdv_database_t *base) {
  sqlite_t *db = self(base);
  for (int i = 0; i < DMDV_N_SQL; i++)
    sqlite3_finalize(db->statements[i]);
  sqlite3_close(db->handle);
}

/* ---- The file's header. ---- */

static bool read_header(dmdv_database_t *base, dmdv_header_t *header) {
  int64_t mark, n_tables;
  sqlite_t *db = self(base);
  if (!read_number(db, "PRAGMA application_id", &mark) ||
      !read_number(db, "PRAGMA user_version", &header->version) ||
      !read_number(db, "SELECT count(*) FROM sqlite_master", &n_tables))
    return false;
  header->is_ours = mark == DMDV_HISTORY_MARK;
  header->is_empty = mark == 0 && header->version == 0 && n_tables == 0;
  return true;
}

static bool write_header(dmdv_database_t *base, int version) {
  char text[96];
  snprintf(text, sizeof text, "PRAGMA application_id = %d; PRAGMA user_version = %d",
           DMDV_HISTORY_MARK, version);
  return run(base, text);
}

/* ---- Size. ---- */

static bool size(dmdv_database_t *base, int64_t *szB) {
  int64_t page_szB;
  sqlite_t *db = self(base);
  if (!read_number(db, "PRAGMA page_count", szB) || !read_number(db, "PRAGMA page_size", &page_szB))
    return false;
  *szB *= page_szB;
  return true;
}

/* VACUUM attaches a second file. */
static bool compact(dmdv_database_t *base) {
  sqlite3_limit(self(base)->handle, SQLITE_LIMIT_ATTACHED, 1);
  return run(base, "VACUUM");
}

/* ---- Statements. ---- */

static sqlite3_stmt *current(dmdv_database_t *base) {
  return self(base)->statements[base->sql];
}

static bool prepare(sqlite_t *db) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, db->base.texts.env);
  dmdv_driver_translate(&dmdv_sqlite, &text, dmdv_sql[db->base.sql]);
  int code = sqlite3_prepare_v2(db->handle, text.text, -1, &db->statements[db->base.sql], NULL);
  dmd_strbuf_destroy(&text);
  return code == SQLITE_OK || fail(db);
}

/* The values stay in place until the statement has ended. */
static int bind(dmdv_database_t *base, int i) {
  const dmdv_value_t *value = &base->values[i];
  const char *bytes = dmdv_value_bytes(base, value);
  switch (value->kind) {
  case DMDV_VALUE_INT:
    return sqlite3_bind_int64(current(base), i + 1, value->number);
  case DMDV_VALUE_TEXT:
    return sqlite3_bind_text(current(base), i + 1, bytes, (int)value->n, SQLITE_STATIC);
  case DMDV_VALUE_BYTES:
    return sqlite3_bind_blob64(current(base), i + 1, bytes, value->n, SQLITE_STATIC);
  default:
    return sqlite3_bind_null(current(base), i + 1);
  }
}

static bool start(dmdv_database_t *base) {
  if (current(base) == NULL && !prepare(self(base)))
    return false;
  for (int i = 0; i < base->n_values; i++)
    if (bind(base, i) != SQLITE_OK)
      return fail(self(base));
  return true;
}

static dmdv_sql_step_t step(dmdv_database_t *base) {
  switch (sqlite3_step(current(base))) {
  case SQLITE_ROW:
    return DMDV_SQL_ROW;
  case SQLITE_DONE:
    return DMDV_SQL_DONE;
  default:
    fail(self(base));
    return DMDV_SQL_FAILED;
  }
}

static void end(dmdv_database_t *base) {
  sqlite3_reset(current(base));
  sqlite3_clear_bindings(current(base));
}

static int64_t column_int(dmdv_database_t *base, int column) {
  return sqlite3_column_int64(current(base), column);
}

static const char *column_text(dmdv_database_t *base, int column) {
  return (const char *)sqlite3_column_text(current(base), column);
}

static const void *column_bytes(dmdv_database_t *base, int column, size_t *n) {
  const void *bytes = sqlite3_column_blob(current(base), column);
  *n = (size_t)sqlite3_column_bytes(current(base), column);
  return bytes;
}

static bool column_is_null(dmdv_database_t *base, int column) {
  return sqlite3_column_type(current(base), column) == SQLITE_NULL;
}

const dmdv_driver_t dmdv_sqlite = {.szB = sizeof(sqlite_t),
                                   .sign = '?',
                                   .words = words,
                                   .begin = "BEGIN IMMEDIATE",
                                   .begin_to_read = "BEGIN",
                                   .open = open_file,
                                   .close = close_file,
                                   .run = run,
                                   .read_header = read_header,
                                   .write_header = write_header,
                                   .give_way = give_way,
                                   .size = size,
                                   .compact = compact,
                                   .start = start,
                                   .step = step,
                                   .end = end,
                                   .column_int = column_int,
                                   .column_text = column_text,
                                   .column_bytes = column_bytes,
                                   .column_is_null = column_is_null};
