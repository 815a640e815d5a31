/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * schema.h: the tables of a history, and every statement about them.
 */
#ifndef DMD_HISTORYDB_SCHEMA_H
#define DMD_HISTORYDB_SCHEMA_H

#include "historydb/database.h"

/* The application id in a file's header, "DMDh", which tells a history from other programs'
 * databases. It is also the number of the writers' lock on a server. */
enum { DMDV_HISTORY_MARK = 0x444d4468 };

/* Stored in each history; histories of other versions are refused. A change of the tables, or of
 * the meaning of what they hold, needs the next version. */
enum { DMDV_SCHEMA_VERSION = 1 };

/* Creates the tables in an empty database. */
extern const char dmdv_tables[];

extern const char *const dmdv_sql[DMDV_N_SQL];

#endif
