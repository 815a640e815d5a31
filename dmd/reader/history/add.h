/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * add.h: puts the profile of a build into a history.
 */
#ifndef DMD_READER_HISTORY_ADD_H
#define DMD_READER_HISTORY_ADD_H

#include "load/load_history.h"
#include "profile/profile.h"
#include "reader/history/rows.h"

/* Where a profile comes from. What is NULL is found out. */
typedef struct dmdv_origin {
  const char *moment;      /* the profile's label, or "exit" */
  const char *process;     /* its program's name */
  const char *launch;      /* which run of the program it is of: the n-th of this process's files */
  const char *environment; /* lines KEY=VALUE, sorted; never NULL */
} dmdv_origin_t;

/* Bytes that names of builds, branches, moments, processes and runs may have, since they are looked
 * up in indices; longer names of series are shortened. */
enum { DMDV_MAX_NAME = DMD_HISTORY_MAX_NAME, DMDV_MAX_ENVIRONMENT = DMD_HISTORY_MAX_ENVIRONMENT };

/* Adds one file of a build, in a transaction of its own. *is_new: whether it was not there before.
 * False, with the reason on stderr, if that fails; nothing is added then. */
bool dmdv_history_add(dmdv_database_t *db, const dmdv_build_t *build, const dmdv_origin_t *origin,
                      dmd_profile_t *profile, bool *is_new);

#endif
