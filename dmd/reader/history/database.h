/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * database.h: the database of a history: a file of SQLite, or one that a PostgreSQL server has.
 *
 * A statement is prepared once, given values from the left to the right, and stepped through, one
 * at a time. What goes wrong is said in one line on stderr, and ends what is being done: a
 * transaction that was not committed leaves no trace. Writers wait for one another, readers for
 * nobody; who opened it to read sees one moment of it.
 *
 * Which database it is only driver.h and what stands on it knows. Text is UTF-8; bytes that are not
 * are replaced.
 */
#ifndef DMD_READER_HISTORY_DATABASE_H
#define DMD_READER_HISTORY_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dmdv_database dmdv_database_t;

/* Every statement there is; what it takes and gives stands with it in schema.c. */
typedef enum {
  DMDV_SQL_ADD_BUILD,
  DMDV_SQL_FIND_BUILD,
  DMDV_SQL_ADD_ENVIRONMENT,
  DMDV_SQL_FIND_ENVIRONMENT,
  DMDV_SQL_NEXT_LAUNCH,
  DMDV_SQL_FIND_RUN,
  DMDV_SQL_ADD_RUN,
  DMDV_SQL_ADD_SERIES,
  DMDV_SQL_FIND_SERIES,
  DMDV_SQL_ADD_VALUE,
  DMDV_SQL_ADD_STACK,
  DMDV_SQL_FIND_STACKS,
  DMDV_SQL_STACK_FRAMES,
  DMDV_SQL_REFRESH_STACK,
  DMDV_SQL_FIND_RECORDSET,
  DMDV_SQL_ADD_RECORDSET,
  DMDV_SQL_RECORDSET,
  DMDV_SQL_RECORDSET_BASE,
  DMDV_SQL_LAST_RECORDSET,
  DMDV_SQL_RECORDSETS_OF_BUILD,
  DMDV_SQL_BUILDS,
  DMDV_SQL_RUNS,
  DMDV_SQL_VALUES,
  DMDV_SQL_VALUES_OF,
  DMDV_SQL_FIND_ALARM,
  DMDV_SQL_SET_ALARM,
  DMDV_SQL_BUILDS_TO_PRUNE,
  DMDV_SQL_DROP_ALARMS_OF_BUILD,
  DMDV_SQL_DROP_RUNS_OF_BUILD,
  DMDV_SQL_DROP_BUILD,
  DMDV_SQL_DROP_UNUSED_VALUES,
  DMDV_SQL_RECORDSETS_TO_REBASE,
  DMDV_SQL_RUNS_WITH_RECORDSET,
  DMDV_SQL_SET_RECORDSET,
  DMDV_SQL_DROP_UNUSED_RECORDSETS,
  DMDV_SQL_DROP_UNUSED_SERIES,
  DMDV_SQL_DROP_UNUSED_ENVIRONMENTS,
  DMDV_SQL_RECORDSETS,
  DMDV_SQL_ALL_ENVIRONMENTS,
  DMDV_SQL_ALL_BUILDS,
  DMDV_SQL_ALL_STACKS,
  DMDV_SQL_ALL_RUNS,
  DMDV_SQL_ALL_VALUES,
  DMDV_SQL_ALL_ALARMS,
  DMDV_SQL_ADD_ALARM,
  DMDV_SQL_RUNS_OF,
  DMDV_SQL_STACKS,
  DMDV_SQL_DROP_STACK,
  DMDV_N_SQL
} dmdv_sql_t;

typedef enum {
  DMDV_OPEN_TO_READ,  /* it must be there */
  DMDV_OPEN_TO_WRITE, /* the same */
  DMDV_OPEN_OR_CREATE
} dmdv_open_t;

/* name: of a file, or postgresql://... as libpq takes it. NULL, after it has said why. */
dmdv_database_t *dmdv_database_open(const char *name, dmdv_open_t how);
void dmdv_database_close(dmdv_database_t *db);

/* What it is called in messages: without a password. */
const char *dmdv_database_name(const dmdv_database_t *db);

/* begin waits for other writers. Without a commit, close undoes all. */
bool dmdv_database_begin(dmdv_database_t *db);
bool dmdv_database_commit(dmdv_database_t *db);

/* Between two transactions of a long work: lets others begin theirs, if they wait. */
void dmdv_database_give_way(dmdv_database_t *db);

/* Bytes that it takes up; and gives back what is not used any more, outside of transactions. */
bool dmdv_database_size(dmdv_database_t *db, int64_t *szB);
bool dmdv_database_compact(dmdv_database_t *db);

/* ---- Statements: start, bind each value, step as long as there are rows, read columns. ---- */

void dmdv_sql_start(dmdv_database_t *db, dmdv_sql_t sql);
void dmdv_sql_int(dmdv_database_t *db, int64_t value);
void dmdv_sql_text(dmdv_database_t *db, const char *text); /* NULL: none */
void dmdv_sql_bytes(dmdv_database_t *db, const void *bytes, size_t n);
void dmdv_sql_null(dmdv_database_t *db);

typedef enum { DMDV_SQL_ROW, DMDV_SQL_DONE, DMDV_SQL_FAILED } dmdv_sql_step_t;
dmdv_sql_step_t dmdv_sql_step(dmdv_database_t *db);

/* Of the row that it stands at; good until the next step or start. */
int64_t dmdv_sql_column_int(dmdv_database_t *db, int column);
const char *dmdv_sql_column_text(dmdv_database_t *db, int column);
const void *dmdv_sql_column_bytes(dmdv_database_t *db, int column, size_t *n);
bool dmdv_sql_column_is_null(dmdv_database_t *db, int column);

/* For statements that give one number, or none: false if it failed; *value is 0 where there is no
 * row. The second is for those that give nothing. */
bool dmdv_sql_number(dmdv_database_t *db, int64_t *value);
bool dmdv_sql_run(dmdv_database_t *db);

/* Whether nothing has failed so far. */
bool dmdv_sql_is_good(const dmdv_database_t *db);

/* In place of number, for many statements of which none needs what another gives: *value is there
 * when `flush` has returned true, so that a server far away is waited for once. NULL: no matter. */
void dmdv_sql_queue(dmdv_database_t *db, int64_t *value);
bool dmdv_sql_flush(dmdv_database_t *db);

#endif
