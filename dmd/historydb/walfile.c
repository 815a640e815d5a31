/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "historydb/walfile.h"

#include "base/strbuf.h"
#include "host/process.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Two bytes of the header name the journal mode: 2 is WAL, 1 a rollback journal. */
enum { HEADER_SZB = 100, WRITE_MODE = 18, READ_MODE = 19, MODE_ROLLBACK = 1, MODE_WAL = 2 };

enum { TRIES = 100, TRY_MS = 5 };

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

bool dmdv_walfile_is(const char *name) {
  struct stat what;
  unsigned char header[HEADER_SZB];
  int fd = open_regular(name, &what);
  if (fd < 0)
    return false;
  bool good = read_all(fd, header, sizeof header);
  close(fd);
  return good && header[WRITE_MODE] == MODE_WAL && header[READ_MODE] == MODE_WAL;
}

bool dmdv_walfile_is_in_the_way(const char *name) {
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

int dmdv_walfile_open(const char *name, sqlite3 **handle) {
  struct stat wal;
  int code = SQLITE_BUSY;
  for (int i = 0; i < TRIES && code == SQLITE_BUSY; i++) {
    if (i > 0)
      sqlite3_sleep(TRY_MS);
    if (has_wal(name, &wal))
      return open_with_wal(name, handle);
    code = open_copy(name, handle);
  }
  return code;
}
