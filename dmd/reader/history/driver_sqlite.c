/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A history in a file. The write-ahead log lets others read while one writes; a kill loses what is
 * not committed.
 */
#include "reader/history/driver.h"
#include "reader/history/schema.h"

#include <sqlite3.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Writers do not stand in a line: who waits tries again after a while, and who gives way does so
 * for longer, so that some other is sure to be next. */
enum { TRY_MS = 5, GIVE_WAY_MS = 4 * TRY_MS };

typedef struct {
  dmdv_database_t base;
  sqlite3 *handle;
  int64_t waits_since_ms;
  char kept[112]; /* the advice where others have kept it */
  sqlite3_stmt *statements[DMDV_N_SQL];
} sqlite_t;

static const char *const words[][2] = {
    {"schema", ""},    {"id", "INTEGER PRIMARY KEY"}, {"int", "INTEGER"}, {"text", "TEXT"},
    {"bytes", "BLOB"}, {"packed", "WITHOUT ROWID"},   {NULL, NULL}};

/* ---- What goes wrong. ---- */

/* What to do about it, for what people can do something about. */
static const char *advice(sqlite_t *db, int code) {
  switch (code & 0xff) {
  case SQLITE_NOTADB:
  case SQLITE_CORRUPT:
    return "; it is no history, or damaged: give another --db, or restore a copy";
  case SQLITE_FULL:
  case SQLITE_IOERR:
    return "; is the disk full?";
  case SQLITE_BUSY:
    snprintf(db->kept, sizeof db->kept,
             "; another process has kept it for %d s; DMD_HISTORY_WAIT says how long to wait",
             db->base.patience_s);
    return db->kept;
  case SQLITE_READONLY:
  case SQLITE_CANTOPEN:
    return "; may you write it, and the folder that it is in?";
  default:
    return "";
  }
}

static bool fail(sqlite_t *db) {
  return dmdv_driver_fail(&db->base, sqlite3_errmsg(db->handle),
                          advice(db, sqlite3_extended_errcode(db->handle)));
}

static sqlite_t *self(dmdv_database_t *db) {
  return (sqlite_t *)db;
}

static bool run(dmdv_database_t *db, const char *sql) {
  return sqlite3_exec(self(db)->handle, sql, NULL, NULL, NULL) == SQLITE_OK || fail(self(db));
}

/* ---- Others that write. ---- */

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Whether to try once more, after so many tries. */
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

static bool set_up(dmdv_database_t *base, dmdv_open_t how) {
  sqlite_t *db = self(base);
  sqlite3_extended_result_codes(db->handle, 1);
  sqlite3_busy_handler(db->handle, wait_for_others, db);
  sqlite3_limit(db->handle, SQLITE_LIMIT_ATTACHED, 0);
  return run(base, "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF") &&
         (how == DMDV_OPEN_TO_READ ||
          run(base, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"));
}

/* Whether the file can be read at all. */
static bool is_readable(sqlite_t *db) {
  int code = sqlite3_exec(db->handle, "PRAGMA schema_version", NULL, NULL, NULL) & 0xff;
  return code != SQLITE_READONLY && code != SQLITE_CANTOPEN;
}

/* A reader, too, makes a file beside the history to know of writers. Where it may not, and where
 * there is none of a writer's, the file is read as one that nobody changes. */
static bool open_unchanging(dmdv_database_t *base, const char *name) {
  dmd_strbuf_t text;
  sqlite_t *db = self(base);
  dmd_strbuf_init(&text, base->texts.env);
  dmd_strbuf_str(&text, name);
  dmd_strbuf_str(&text, "-wal");
  bool has_writer = access(text.text, F_OK) == 0;
  dmd_strbuf_cut(&text, 0);
  dmd_strbuf_str(&text, name[0] == '/' ? "file://" : "file:");
  for (const char *s = name; *s != '\0'; s++)
    if (*s == '%' || *s == '?' || *s == '#') {
      dmd_strbuf_str(&text, "%");
      dmd_strbuf_hex(&text, (unsigned char)*s);
    } else {
      dmd_strbuf_bytes(&text, s, 1);
    }
  dmd_strbuf_str(&text, "?immutable=1");
  bool good = true;
  if (!has_writer) {
    sqlite3_close(db->handle);
    good = sqlite3_open_v2(text.text, &db->handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) ==
           SQLITE_OK;
  }
  dmd_strbuf_destroy(&text);
  return good || fail(db);
}

static bool open_file(dmdv_database_t *base, const char *name, dmdv_open_t how) {
  static const int flags[] = {[DMDV_OPEN_TO_READ] = SQLITE_OPEN_READONLY,
                              [DMDV_OPEN_TO_WRITE] = SQLITE_OPEN_READWRITE,
                              [DMDV_OPEN_OR_CREATE] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE};
  sqlite_t *db = self(base);
  base->name = dmdv_driver_copy(name);
  return (sqlite3_open_v2(name, &db->handle, flags[how], NULL) == SQLITE_OK || fail(db)) &&
         (how != DMDV_OPEN_TO_READ || is_readable(db) || open_unchanging(base, name)) &&
         set_up(base, how);
}

static void close_file(dmdv_database_t *base) {
  sqlite_t *db = self(base);
  for (int i = 0; i < DMDV_N_SQL; i++)
    sqlite3_finalize(db->statements[i]);
  sqlite3_close(db->handle);
}

/* ---- The file's header. ---- */

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

/* ---- Its room. ---- */

static bool size(dmdv_database_t *base, int64_t *szB) {
  int64_t page_szB;
  sqlite_t *db = self(base);
  if (!read_number(db, "PRAGMA page_count", szB) || !read_number(db, "PRAGMA page_size", &page_szB))
    return false;
  *szB *= page_szB;
  return true;
}

/* VACUUM attaches a second file; what it wrote to the log goes into the first. */
static bool compact(dmdv_database_t *base) {
  sqlite3_limit(self(base)->handle, SQLITE_LIMIT_ATTACHED, 1);
  return run(base, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
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

/* The values stay where they are until the statement has ended. */
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
