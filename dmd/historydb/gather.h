/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gather.h: reads a history from its database into the core's form (analyse/history/history.h), for
 * a page.
 *
 * All metrics and alarms are included. Records are included as long as there is room: those of the
 * builds around each change point in any case, then each curve's newest builds.
 */
#ifndef DMD_HISTORYDB_GATHER_H
#define DMD_HISTORYDB_GATHER_H

#include "analyse/history/history.h"
#include "historydb/database.h"

typedef struct dmdv_gather_options {
  const char *name; /* of the history, for people */
  dmd_changepoints_limits_t limits;
  bool has_records;   /* whether n_records counts; otherwise the limit is the room in a page */
  uint64_t n_records; /* of each branch, moment and environment, the number of newest builds with
                         records */
} dmdv_gather_options_t;

/* Fills an initialised, empty history. False, with the reason on stderr. */
bool dmdv_gather(dmd_history_t *history, dmdv_database_t *db, const dmdv_gather_options_t *options);

#endif
