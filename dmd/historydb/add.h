/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * add.h: adds the profile of a build to a history.
 */
#ifndef DMD_HISTORYDB_ADD_H
#define DMD_HISTORYDB_ADD_H

#include "files/profile/historyreader.h"
#include "historydb/findrow.h"
#include "model/profile/profile.h"

/* Where a profile comes from. A NULL member is found out. */
typedef struct dmdv_origin {
  const char *moment;  /* the profile's label, or "exit" */
  const char *process; /* its program's name */
  const char *launch; /* the run of the program that it belongs to; NULL: the n-th of this process's
                         files is of the n-th */
  const char *environment; /* lines KEY=VALUE, sorted; never NULL */
} dmdv_origin_t;

/* Limits on the names of builds, branches, moments, processes and runs, in bytes: these names are
 * looked up in indices. Longer names of series are shortened. */
enum { DMDV_MAX_NAME = DMD_HISTORY_MAX_NAME, DMDV_MAX_ENVIRONMENT = DMD_HISTORY_MAX_ENVIRONMENT };

/* Adds one file of a build, in a transaction of its own. *is_new: whether it was not in the history
 * before. False, with the reason on stderr and nothing added, if that fails. */
bool dmdv_history_add(dmdv_database_t *db, const dmdv_build_t *build, const dmdv_origin_t *origin,
                      dmd_profile_t *profile, bool *is_new);

#endif
