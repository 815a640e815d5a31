/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "historydb/driver.h"
#include "historydb/schema.h"
#include "host/process.h"

/* ---- Files in WAL mode. ---- */

/* Reads a history whose file another program has switched to SQLite's WAL mode.
 *
 * A reader of such a file normally creates a -wal and a -shm file beside it. These belong to the
 * reader, so that the owner of the history could no longer write it. The functions here open the
 * file without leaving anything behind: if a writer's -wal file exists, they use it, otherwise they
 * read a copy in memory. */

/* Two bytes of the header name the journal mode: 2 is WAL, 1 a rollback journal. */
enum { HEADER_SZB = 100, WRITE_MODE = 18, READ_MODE = 19, MODE_ROLLBACK = 1, MODE_WAL = 2 };

enum { TRIES = 100, WAL_TRY_MS = 5 };

/* ---- Files. ---- */

static int open_regular(const char *name, struct stat *what) {
  int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd >= 0 && fstat(fd, what) == 0 && S_ISREG(what->st_mode))
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

static bool read_all(int fd, unsigned char *to, size_t n) {
  size_t at = 0;
  while (at < n) {
    ssize_t got = pread(fd, to + at, n - at, (off_t)at);
    if (got <= 0)
      return false;
    at += (size_t)got;
  }
  return true;
}

/* A file beside the database, under SQLite's name for it: symbolic links are resolved first. NULL
 * if the database does not exist. */
static char *path_beside(const char *name, const char *ending) {
  char *real = realpath(name, NULL);
  if (real == NULL)
    return NULL;
  dmd_strbuf_t path;
  dmd_strbuf_init(&path, &dmdv_env);
  dmd_strbuf_str(&path, real);
  dmd_strbuf_str(&path, ending);
  free(real);
  return dmd_strbuf_take(&path);
}

static bool has_beside(const char *name, const char *ending, struct stat *what) {
  char *path = path_beside(name, ending);
  bool has = path != NULL && lstat(path, what) == 0;
  dmd_env_free(&dmdv_env, path);
  return has;
}

static bool has_wal(const char *name, struct stat *what) {
  return has_beside(name, "-wal", what);
}

/* Whether the file is a database in WAL mode. False if it cannot be read. */
static bool walfile_is(const char *name) {
  struct stat what;
  unsigned char header[HEADER_SZB];
  int fd = open_regular(name, &what);
  if (fd < 0)
    return false;
  bool good = read_all(fd, header, sizeof header);
  close(fd);
  return good && header[WRITE_MODE] == MODE_WAL && header[READ_MODE] == MODE_WAL;
}

/* Whether there is a -shm file beside the database that this user cannot write, and no -wal file
 * with contents: a reader left it behind. */
static bool walfile_is_in_the_way(const char *name) {
  struct stat wal;
  char *path = path_beside(name, "-shm");
  bool is = path != NULL && access(path, F_OK) == 0 && access(path, W_OK) != 0 &&
            (!has_wal(name, &wal) || wal.st_size == 0);
  dmd_env_free(&dmdv_env, path);
  return is;
}

/* ---- A file that somebody is writing, or was writing when killed. ---- */

/* SQLite also needs the -shm file. If it is missing, the owner of the history may create it. */
static bool may_make_shm(const char *name) {
  struct stat what;
  return !has_beside(name, "-shm", &what) && stat(name, &what) == 0 && what.st_uid == geteuid();
}

/* Opens the name as a URI. */
static int open_with_wal(const char *name, sqlite3 **handle) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &dmdv_env);
  dmd_strbuf_str(&text, name[0] == '/' ? "file://" : "file:");
  for (const char *s = name; *s != '\0'; s++)
    if (*s == '%' || *s == '?' || *s == '#') {
      dmd_strbuf_str(&text, "%");
      dmd_strbuf_hex(&text, (unsigned char)*s);
    } else {
      dmd_strbuf_bytes(&text, s, 1);
    }
  dmd_strbuf_str(&text, may_make_shm(name) ? "" : "?readonly_shm=1");
  int code = sqlite3_open_v2(text.text, handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
  dmd_strbuf_destroy(&text);
  return code;
}

/* ---- A file that nobody is writing: a copy in memory. ---- */

static bool is_unchanged(const struct stat *a, const struct stat *b) {
  return a->st_ino == b->st_ino && a->st_size == b->st_size &&
         a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
         a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* A writer in WAL mode first creates a -wal file. So the copy is consistent if there is no -wal
 * file afterwards and the file is unchanged; otherwise returns SQLITE_BUSY. */
static int copy_from(int fd, const char *name, const struct stat *before, unsigned char *to) {
  struct stat after, wal;
  if (!read_all(fd, to, (size_t)before->st_size))
    return SQLITE_IOERR_READ;
  if (fstat(fd, &after) != 0 || !is_unchanged(before, &after) || has_wal(name, &wal))
    return SQLITE_BUSY;
  to[WRITE_MODE] = to[READ_MODE] = MODE_ROLLBACK;
  return SQLITE_OK;
}

static int open_copy_of(unsigned char *bytes, size_t n, sqlite3 **handle) {
  int code = sqlite3_open_v2(":memory:", handle, SQLITE_OPEN_READWRITE, NULL);
  if (code != SQLITE_OK) {
    sqlite3_free(bytes);
    return code;
  }
  return sqlite3_deserialize(*handle, "main", bytes, (sqlite3_int64)n, (sqlite3_int64)n,
                             SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY);
}

static int open_copy(const char *name, sqlite3 **handle) {
  struct stat before;
  int fd = open_regular(name, &before);
  if (fd < 0 || before.st_size < HEADER_SZB) {
    if (fd >= 0)
      close(fd);
    return SQLITE_BUSY; /* it was a database when it was checked */
  }
  unsigned char *bytes = sqlite3_malloc64((sqlite3_uint64)before.st_size);
  int code = bytes == NULL ? SQLITE_NOMEM : copy_from(fd, name, &before, bytes);
  close(fd);
  if (code == SQLITE_OK)
    return open_copy_of(bytes, (size_t)before.st_size, handle);
  sqlite3_free(bytes);
  return code;
}

/* ---- Opening. ---- */

/* Opens the file for reading. Returns an SQLite result code; *handle has the message, and the
 * caller closes it in any case. SQLITE_BUSY: others kept changing the file. */
static int walfile_open(const char *name, sqlite3 **handle) {
  struct stat wal;
  int code = SQLITE_BUSY;
  for (int i = 0; i < TRIES && code == SQLITE_BUSY; i++) {
    if (i > 0)
      sqlite3_sleep(WAL_TRY_MS);
    if (has_wal(name, &wal))
      return open_with_wal(name, handle);
    code = open_copy(name, handle);
  }
  return code;
}

/* ---- The driver. ---- */

/* A history in a file, with a rollback journal during writes. A reader creates no file: its lock
 * keeps writers from committing, and only while it reads. A transaction stays in memory until its
 * end, so that a writer blocks readers only briefly. A kill loses what is not committed; the next
 * writer rolls back a partial write.
 *
 * Any program can switch a file to SQLite's WAL mode. The functions above read such a file, and the
 * next writer switches it back. */

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

static const char *const words[][2] = {{"schema", ""},
                                       {"id", "INTEGER PRIMARY KEY"},
                                       {"int", "INTEGER"},
                                       {"text", "TEXT"},
                                       {"bytes", "BLOB"},
                                       {"packed", "WITHOUT ROWID"},
                                       {"numbers", "SELECT value FROM json_each('[' || "},
                                       {"end", " || ']')"},
                                       {NULL, NULL}};

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
    return walfile_is_in_the_way(db->base.name)
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
  int code = walfile_is(name) ? walfile_open(name, &db->handle)
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
