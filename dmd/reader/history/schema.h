/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * schema.h: the tables of a history, and every statement about them.
 */
#ifndef DMD_READER_HISTORY_SCHEMA_H
#define DMD_READER_HISTORY_SCHEMA_H

#include "reader/history/database.h"

/* What is written into a file's header: "DMDh", so that no other program's file is taken for one.
 * A server knows the writers' lock by it. */
enum { DMDV_HISTORY_MARK = 0x444d4468 };

/* Each makes the next version of the tables of the one before; the first those of an empty
 * database. */
enum { DMDV_SCHEMA_VERSION = 3 };
extern const char *const dmdv_migrations[DMDV_SCHEMA_VERSION];

extern const char *const dmdv_sql[DMDV_N_SQL];

#endif
