/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * walfile.h: reads a history whose file another program has switched to SQLite's WAL mode.
 *
 * A reader of such a file normally creates a -wal and a -shm file beside it. These belong to the
 * reader, so that the owner of the history could no longer write it. The functions here open the
 * file without leaving anything behind: if a writer's -wal file exists, they use it, otherwise they
 * read a copy in memory.
 */
#ifndef DMD_HISTORYDB_WALFILE_H
#define DMD_HISTORYDB_WALFILE_H

#include <sqlite3.h>
#include <stdbool.h>

/* Whether the file is a database in WAL mode. False if it cannot be read. */
bool dmdv_walfile_is(const char *name);

/* Opens the file for reading. Returns an SQLite result code; *handle has the message, and the
 * caller closes it in any case. SQLITE_BUSY: others kept changing the file. */
int dmdv_walfile_open(const char *name, sqlite3 **handle);

/* Whether there is a -shm file beside the database that this user cannot write, and no -wal file
 * with contents: a reader left it behind. */
bool dmdv_walfile_is_in_the_way(const char *name);

#endif
