/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * prune.h: removes builds and runs from a history, with everything that only they used.
 */
#ifndef DMD_HISTORYDB_PRUNE_H
#define DMD_HISTORYDB_PRUNE_H

#include "historydb/database.h"

/* Which builds to remove: those that meet all of these conditions. With `every` or `runs`, some of
 * their data stays. */
typedef struct dmdv_prune {
  const char *branch; /* of this branch; NULL: of any */
  uint32_t keep;      /* not among the last so many of their branch */
  int64_t before;     /* older than this, in seconds since 1970; INT64_MAX: of any age */
  bool acknowledged;  /* even if somebody acknowledged an alarm that begins there */
  int64_t every_s;    /* the last one of each period of so many seconds stays; 0: none does */
  uint32_t runs;      /* builds stay, with so many launches of each moment and environment; 0: all
                         launches of the builds that stay */
} dmdv_prune_t;

typedef struct dmdv_pruned {
  uint32_t n_builds, n_dropped;
  int64_t n_runs;              /* removed from builds that stay */
  uint32_t n_acknowledged;     /* kept because of their acknowledgements */
  int64_t before_szB, now_szB; /* of the database */
} dmdv_pruned_t;

/* Works in one transaction, then returns the space to the system. A set of records that is the
 * difference from a removed set gets another base. False, with the reason on stderr, if that fails:
 * then everything is still there unless `n_dropped` or `n_runs` is not 0. */
bool dmdv_history_prune(dmdv_database_t *db, const dmdv_prune_t *which, dmdv_pruned_t *pruned);

#endif
