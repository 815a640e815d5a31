/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * schema.h: the tables of a history, and every statement about them.
 */
#ifndef DMD_HISTORYDB_SCHEMA_H
#define DMD_HISTORYDB_SCHEMA_H

/* The application id in a file's header, "DMDh", which tells a history from other programs'
 * databases. It is also the number of the writers' lock on a server. */
enum { DMDV_HISTORY_MARK = 0x444d4468 };

/* Stored in each history; histories of other versions are refused. A change of the tables, or of
 * the meaning of what they hold, needs the next version. */
enum { DMDV_SCHEMA_VERSION = 1 };

/* Creates the tables in an empty database. */
extern const char dmdv_tables[];

/* All statements. schema.c documents the values that each takes and the columns that it returns. */
typedef enum {
  DMDV_SQL_ADD_BUILD,
  DMDV_SQL_FIND_BUILD,
  DMDV_SQL_ADD_ENVIRONMENT,
  DMDV_SQL_FIND_ENVIRONMENT,
  DMDV_SQL_NEXT_LAUNCH,
  DMDV_SQL_RUNS_OF_LAUNCH,
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
  DMDV_SQL_SERIES,
  DMDV_SQL_SERIES_OF,
  DMDV_SQL_VALUES,
  DMDV_SQL_VALUES_OF,
  DMDV_SQL_FIND_ALARM,
  DMDV_SQL_SET_ALARM,
  DMDV_SQL_BUILDS_TO_PRUNE,
  DMDV_SQL_DROP_ALARMS_OF_BUILDS,
  DMDV_SQL_DROP_RUNS_OF_BUILDS,
  DMDV_SQL_DROP_BUILDS,
  DMDV_SQL_THIN_BUILDS,
  DMDV_SQL_COUNT_RUNS,
  DMDV_SQL_DROP_UNUSED_VALUES,
  DMDV_SQL_RECORDSETS_TO_REBASE,
  DMDV_SQL_RECORDSETS_BELOW,
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
  DMDV_SQL_DROP_STACKS,
  DMDV_N_SQL
} dmdv_sql_t;

extern const char *const dmdv_sql[DMDV_N_SQL];

#endif
