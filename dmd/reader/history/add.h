/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * add.h: puts the profile of a build into a history.
 */
#ifndef DMD_READER_HISTORY_ADD_H
#define DMD_READER_HISTORY_ADD_H

#include "profile/profile.h"
#include "reader/history/database.h"

typedef struct dmdv_build {
  const char *name, *branch;
  int64_t time; /* in seconds since 1970 */
} dmdv_build_t;

/* Adds one run of the build, in a transaction of its own. moment: NULL: the profile's label.
 * environment: lines KEY=VALUE, sorted. *is_new: whether it was not there before. False, with the
 * reason on stderr, if that fails; nothing is added then. */
bool dmdv_history_add(dmdv_database_t *db, const dmdv_build_t *build, const char *moment,
                      const char *environment, dmd_profile_t *profile, bool *is_new);

#endif
