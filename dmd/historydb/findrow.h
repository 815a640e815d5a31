/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * findrow.h: finds builds, environments and series by their contents, or adds them.
 */
#ifndef DMD_HISTORYDB_FINDROW_H
#define DMD_HISTORYDB_FINDROW_H

#include "historydb/database.h"

typedef struct dmdv_build {
  const char *name, *branch;
  int64_t time; /* in seconds since 1970 */
} dmdv_build_t;

/* The id of each. *was_there: the row existed before; an existing build keeps its time. False, with
 * the reason on stderr. */
bool dmdv_build_id(dmdv_database_t *db, const dmdv_build_t *build, int64_t *id, bool *was_there);
/* Queues the statement that adds a build: see dmdv_sql_queue. The id is 0 if it exists. */
void dmdv_build_queue(dmdv_database_t *db, const dmdv_build_t *build, int64_t *id);
bool dmdv_environment_id(dmdv_database_t *db, const char *lines, int64_t *id);
bool dmdv_series_id(dmdv_database_t *db, const char *kind, const char *name, int64_t *id);

#endif
