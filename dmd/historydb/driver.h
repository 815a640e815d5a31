/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * driver.h: the interface that a database implements: SQLite files, and PostgreSQL servers.
 *
 * database.c has the common part: it collects the values of a statement, upgrades the tables, and
 * reports each error once. SQL is written once (schema.c), in words that both databases understand.
 * Type names, which differ, are written as {word}; the sign before a value's number is written as
 * ?. Both are replaced when a statement is prepared.
 */
#ifndef DMD_HISTORYDB_DRIVER_H
#define DMD_HISTORYDB_DRIVER_H

#include "base/strbuf.h"
#include "historydb/database.h"

enum { DMDV_MAX_VALUES = 16 };

typedef enum {
  DMDV_VALUE_NULL,
  DMDV_VALUE_INT,
  DMDV_VALUE_TEXT, /* with a NUL after it */
  DMDV_VALUE_BYTES
} dmdv_value_kind_t;

typedef struct dmdv_value {
  dmdv_value_kind_t kind;
  int64_t number;
  size_t at, n; /* text and bytes: the place in `texts` of the database */
} dmdv_value_t;

/* What the database knows about the tables in it. */
typedef struct dmdv_header {
  bool is_empty, is_ours;
  int64_t version;
} dmdv_header_t;

/* Functions that return false have reported the reason with dmdv_driver_fail. */
typedef struct dmdv_driver {
  size_t szB; /* of the driver's struct, which begins with a dmdv_database_t and is zeroed */
  char sign;  /* before a value's number */
  const char *const (*words)[2]; /* replacements for {word}; ends in {NULL} */
  const char *begin, *begin_to_read;

  /* open sets `name`. close frees what open allocated, even if open failed. */
  bool (*open)(dmdv_database_t *db, const char *name, dmdv_open_t how);
  void (*close)(dmdv_database_t *db);

  /* Runs statements without values, and ignores their results. */
  bool (*run)(dmdv_database_t *db, const char *sql);
  bool (*read_header)(dmdv_database_t *db, dmdv_header_t *header);
  bool (*write_header)(dmdv_database_t *db, int version);

  /* NULL if writers are served in order. */
  void (*give_way)(dmdv_database_t *db);

  bool (*size)(dmdv_database_t *db, int64_t *szB);
  bool (*compact)(dmdv_database_t *db);

  /* start begins the statement `db->sql` with its values, step returns its rows, end discards the
   * rest. */
  bool (*start)(dmdv_database_t *db);
  dmdv_sql_step_t (*step)(dmdv_database_t *db);
  void (*end)(dmdv_database_t *db);
  int64_t (*column_int)(dmdv_database_t *db, int column);
  const char *(*column_text)(dmdv_database_t *db, int column); /* NULL: SQL's NULL */
  const void *(*column_bytes)(dmdv_database_t *db, int column, size_t *n);
  bool (*column_is_null)(dmdv_database_t *db, int column);

  /* NULL if each statement is answered at once. */
  void (*queue)(dmdv_database_t *db, int64_t *value);
  bool (*flush)(dmdv_database_t *db);
} dmdv_driver_t;

typedef enum { DMDV_STEP_NOT_BEGUN, DMDV_STEP_IN_ROWS, DMDV_STEP_ENDED } dmdv_step_state_t;

struct dmdv_database {
  const dmdv_driver_t *driver;
  char *name;
  bool failed;    /* an error was reported */
  int patience_s; /* seconds to wait for other writers */
  dmdv_sql_t sql;
  dmdv_step_state_t state;
  dmdv_value_t values[DMDV_MAX_VALUES];
  int n_values;
  dmd_strbuf_t texts;
};

extern const dmdv_driver_t dmdv_sqlite;

/* NULL if dmdv was built without libpq. */
extern const dmdv_driver_t *const dmdv_postgresql;

/* Reports an error, unless one was reported already. Returns false. */
bool dmdv_driver_fail(dmdv_database_t *db, const char *what, const char *advice);

/* The bytes of a value, and a copy of a text in the driver's own memory. */
static inline const char *dmdv_value_bytes(const dmdv_database_t *db, const dmdv_value_t *value) {
  return db->texts.text + value->at;
}
char *dmdv_driver_copy(const char *text);

/* Appends SQL in this database's dialect. */
void dmdv_driver_translate(const dmdv_driver_t *driver, dmd_strbuf_t *to, const char *sql);

#endif
