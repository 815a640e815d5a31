/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * prune.h: takes builds out of a history, with all that only they needed.
 */
#ifndef DMD_READER_HISTORY_PRUNE_H
#define DMD_READER_HISTORY_PRUNE_H

#include "reader/history/database.h"

/* Which builds go: those for which all that is said here holds. */
typedef struct dmdv_prune {
  const char *branch; /* of this branch; NULL: of any */
  uint32_t keep;      /* not among the last so many of their branch */
  int64_t before;     /* older than this, in seconds since 1970; INT64_MAX: whatever their age */
  bool acknowledged;  /* even if somebody acknowledged a step that begins there */
} dmdv_prune_t;

typedef struct dmdv_pruned {
  uint32_t n_builds, n_dropped;
  uint32_t n_acknowledged;     /* kept for what was said of them */
  int64_t before_szB, now_szB; /* of the database */
} dmdv_pruned_t;

/* In one transaction, after which the room is given back. Sets of records that differ from those
 * that go get another base. False, with the reason on stderr, if that fails: then all builds are
 * there unless `n_dropped` says otherwise. */
bool dmdv_history_prune(dmdv_database_t *db, const dmdv_prune_t *which, dmdv_pruned_t *pruned);

#endif
