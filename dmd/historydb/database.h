/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * database.h: the database of a history: an SQLite file, or a database of a PostgreSQL server.
 *
 * A statement is prepared once, gets its values from left to right, and is stepped through; only
 * one runs at a time. An error prints one line on stderr and ends the operation: an uncommitted
 * transaction leaves no trace. Writers wait for one another. A reader sees the state of one moment
 * and leaves nothing behind. In a file, a commit waits for readers, so readers should be fast.
 *
 * Only driver.h and the files that implement it know which database it is. Text is UTF-8; invalid
 * bytes are replaced.
 */
#ifndef DMD_HISTORYDB_DATABASE_H
#define DMD_HISTORYDB_DATABASE_H

#include "base/strbuf.h"
#include "historydb/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dmdv_database dmdv_database_t;

typedef enum {
  DMDV_OPEN_TO_READ,  /* it must exist */
  DMDV_OPEN_TO_WRITE, /* it must exist */
  DMDV_OPEN_OR_CREATE
} dmdv_open_t;

/* name: a file's name, or postgresql://... as libpq takes it. NULL, after reporting the reason. */
dmdv_database_t *dmdv_database_open(const char *name, dmdv_open_t how);
void dmdv_database_close(dmdv_database_t *db);

/* The name for messages: without a password. */
const char *dmdv_database_name(const dmdv_database_t *db);

/* begin waits for other writers. close rolls back whatever was not committed. */
bool dmdv_database_begin(dmdv_database_t *db);
bool dmdv_database_commit(dmdv_database_t *db);

/* Called between two transactions of a long operation: lets waiting writers go first. */
void dmdv_database_give_way(dmdv_database_t *db);

/* The size in bytes. compact returns unused space to the system; call it outside of
 * transactions. */
bool dmdv_database_size(dmdv_database_t *db, int64_t *szB);
bool dmdv_database_compact(dmdv_database_t *db);

/* ---- Statements: start, bind each value, step while there are rows, read columns. ---- */

void dmdv_sql_start(dmdv_database_t *db, dmdv_sql_t sql);
void dmdv_sql_int(dmdv_database_t *db, int64_t value);
void dmdv_sql_text(dmdv_database_t *db, const char *text); /* NULL: SQL's NULL */
void dmdv_sql_bytes(dmdv_database_t *db, const void *bytes, size_t n);
void dmdv_sql_null(dmdv_database_t *db);

/* Appends a number to a text for {numbers} (schema.c). */
void dmdv_sql_append_number(dmd_strbuf_t *numbers, int64_t number);

typedef enum { DMDV_SQL_ROW, DMDV_SQL_DONE, DMDV_SQL_FAILED } dmdv_sql_step_t;
dmdv_sql_step_t dmdv_sql_step(dmdv_database_t *db);

/* Columns of the current row; valid until the next step or start. */
int64_t dmdv_sql_column_int(dmdv_database_t *db, int column);
const char *dmdv_sql_column_text(dmdv_database_t *db, int column);
const void *dmdv_sql_column_bytes(dmdv_database_t *db, int column, size_t *n);
bool dmdv_sql_column_is_null(dmdv_database_t *db, int column);

/* number is for statements that return one number, or no row, which sets *value to 0. run is for
 * statements without results. False: the statement failed. */
bool dmdv_sql_number(dmdv_database_t *db, int64_t *value);
bool dmdv_sql_run(dmdv_database_t *db);

/* Whether nothing has failed so far. */
bool dmdv_sql_is_good(const dmdv_database_t *db);

/* Use queue in place of number for many statements that do not depend on each other's results, so
 * that there is only one round trip to the server. *value is set once `flush` has returned true;
 * NULL discards it. */
void dmdv_sql_queue(dmdv_database_t *db, int64_t *value);
bool dmdv_sql_flush(dmdv_database_t *db);

#endif
