/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * driver.h: what a database is, for those who make one: SQLite's files, and PostgreSQL's servers.
 *
 * database.c has what both have in common: it collects the values of a statement, brings the tables
 * up to date, and says each error once. SQL is written once (schema.c), in words that both know;
 * what differs are names of types, which stand there as {word}, and the sign before a value's
 * number, which is ? there. Both are put in when a statement is prepared.
 */
#ifndef DMD_READER_HISTORY_DRIVER_H
#define DMD_READER_HISTORY_DRIVER_H

#include "base/strbuf.h"
#include "reader/history/database.h"

enum { DMDV_MAX_VALUES = 16 };

typedef enum {
  DMDV_VALUE_NULL,
  DMDV_VALUE_INT,
  DMDV_VALUE_TEXT, /* with a NUL behind it */
  DMDV_VALUE_BYTES
} dmdv_value_kind_t;

typedef struct dmdv_value {
  dmdv_value_kind_t kind;
  int64_t number;
  size_t at, n; /* of text and bytes: where in `texts` of the database */
} dmdv_value_t;

/* What the database says of the tables in it. */
typedef struct dmdv_header {
  bool is_empty, is_ours;
  int64_t version;
} dmdv_header_t;

/* Functions that return false have said why, with dmdv_driver_fail. */
typedef struct dmdv_driver {
  size_t szB; /* of a struct that begins with a dmdv_database_t, and is all zero at first */
  char sign;  /* before a value's number */
  const char *const (*words)[2]; /* ends in {NULL} */
  const char *begin, *begin_to_read;

  /* open sets `name`. close takes what open left, even if that failed. */
  bool (*open)(dmdv_database_t *db, const char *name, dmdv_open_t how);
  void (*close)(dmdv_database_t *db);

  /* Runs statements that take no values; what they give is passed over. */
  bool (*run)(dmdv_database_t *db, const char *sql);
  bool (*read_header)(dmdv_database_t *db, dmdv_header_t *header);
  bool (*write_header)(dmdv_database_t *db, int version);

  /* NULL for one whose writers stand in a line. */
  void (*give_way)(dmdv_database_t *db);

  bool (*size)(dmdv_database_t *db, int64_t *szB);
  bool (*compact)(dmdv_database_t *db);

  /* Begins the statement `db->sql` with its values; step gives its rows, end leaves the rest. */
  bool (*start)(dmdv_database_t *db);
  dmdv_sql_step_t (*step)(dmdv_database_t *db);
  void (*end)(dmdv_database_t *db);
  int64_t (*column_int)(dmdv_database_t *db, int column);
  const char *(*column_text)(dmdv_database_t *db, int column); /* NULL: none */
  const void *(*column_bytes)(dmdv_database_t *db, int column, size_t *n);
  bool (*column_is_null)(dmdv_database_t *db, int column);

  /* NULL for one that answers at once. */
  void (*queue)(dmdv_database_t *db, int64_t *value);
  bool (*flush)(dmdv_database_t *db);
} dmdv_driver_t;

typedef enum { DMDV_STEP_NOT_BEGUN, DMDV_STEP_IN_ROWS, DMDV_STEP_ENDED } dmdv_step_state_t;

struct dmdv_database {
  const dmdv_driver_t *driver;
  char *name;
  bool failed;    /* said so already */
  int patience_s; /* how long to wait for others that write */
  dmdv_sql_t sql;
  dmdv_step_state_t state;
  dmdv_value_t values[DMDV_MAX_VALUES];
  int n_values;
  dmd_strbuf_t texts;
};

extern const dmdv_driver_t dmdv_sqlite;

/* NULL where dmdv was built without libpq. */
extern const dmdv_driver_t *const dmdv_postgresql;

/* Says what went wrong, unless something did already. Returns false. */
bool dmdv_driver_fail(dmdv_database_t *db, const char *what, const char *advice);

/* The bytes of a value, and a copy of a text as the driver's own memory. */
static inline const char *dmdv_value_bytes(const dmdv_database_t *db, const dmdv_value_t *value) {
  return db->texts.text + value->at;
}
char *dmdv_driver_copy(const char *text);

/* Appends SQL as this driver's database has it. */
void dmdv_driver_translate(const dmdv_driver_t *driver, dmd_strbuf_t *to, const char *sql);

#endif
