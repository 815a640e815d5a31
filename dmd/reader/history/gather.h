/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gather.h: a history out of its database, as the core has it (analysis/history.h), for a page.
 *
 * All figures and alarms are taken, and records as long as there is room: of each curve's builds
 * the newest first, and of those around each step in any case.
 */
#ifndef DMD_READER_HISTORY_GATHER_H
#define DMD_READER_HISTORY_GATHER_H

#include "analysis/history.h"
#include "reader/history/database.h"

typedef struct dmdv_gather_options {
  const char *name; /* what people call the history */
  dmd_steps_limits_t limits;
  bool has_records;   /* whether n_records counts; else a page's room does */
  uint64_t n_records; /* newest builds of each branch, moment and environment */
} dmdv_gather_options_t;

/* Fills an initialised, empty history. False, with the reason on stderr. */
bool dmdv_gather(dmd_history_t *history, dmdv_database_t *db, const dmdv_gather_options_t *options);

#endif
