/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * add.h: adds the profile of a build to a history, or its memory reports.
 */
#ifndef DMD_HISTORYDB_ADD_H
#define DMD_HISTORYDB_ADD_H

#include "analyse/tree/amounts.h"
#include "files/profile/historyreader.h"
#include "historydb/database.h"
#include "model/profile/profile.h"

/* ---- Rows by their contents. ----
 *
 * Finds builds, environments and series by their contents, or adds them. */

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

/* ---- Adding a profile. ---- */

/* Where a profile comes from. A NULL member is found out. */
typedef struct dmdv_origin {
  const char *moment;  /* the profile's label, or "exit" */
  const char *process; /* its program's name */
  const char *launch; /* the run of the program that it belongs to; NULL: the n-th of this process's
                         files is of the n-th */
  const char *environment; /* lines KEY=VALUE, sorted; never NULL */
  int64_t waste;           /* the metric of its heap graph; negative: unknown */
} dmdv_origin_t;

/* Limits on the names of builds, branches, moments, processes and runs, in bytes: these names are
 * looked up in indices. Longer names of series are shortened. */
enum { DMDV_MAX_NAME = DMD_HISTORY_MAX_NAME, DMDV_MAX_ENVIRONMENT = DMD_HISTORY_MAX_ENVIRONMENT };

/* Adds one file of a build, in a transaction of its own. *is_new: whether it was not in the history
 * before. False, with the reason on stderr and nothing added, if that fails. */
bool dmdv_history_add(dmdv_database_t *db, const dmdv_build_t *build, const dmdv_origin_t *origin,
                      dmd_profile_t *profile, bool *is_new);

/* The same for the memory reports of one process, an id in the strings of these complete amounts.
 * origin->moment NULL: "exit"; origin->process NULL: the process's name without its number. */
bool dmdv_history_add_reports(dmdv_database_t *db, const dmdv_build_t *build,
                              const dmdv_origin_t *origin, const dmd_amounts_t *amounts,
                              uint32_t process, bool *is_new);

#endif
