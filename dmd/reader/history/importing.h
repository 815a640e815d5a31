/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * importing.h: adds a history that another database exported (exporting.h).
 *
 * In one transaction: begin, let dmd_load_history (load/load_history.h) give its items to the
 * taker, then finish; end it either way. What is there already is left alone: builds keep their
 * times, stacks their lines and alarms their reasons, and a run that is known by its digest is not
 * added again. A launch that is a number, as launches are where nobody names them, and that the
 * build has of the same process already, gets the next number: it is another repetition.
 *
 * Cost: memory as for an export.
 */
#ifndef DMD_READER_HISTORY_IMPORTING_H
#define DMD_READER_HISTORY_IMPORTING_H

#include "base/map.h"
#include "load/load_history.h"
#include "reader/history/lines.h"

typedef struct dmdv_importing {
  dmdv_database_t *db;
  dmd_intern_t texts;
  dmd_pool_t environments, series; /* int64_t: ids */
  dmd_pool_t builds, stacks, runs; /* of importing.c */
  dmd_intern_t series_names;
  dmd_map_t environment_ids, build_ids;
  dmd_strbuf_t frames; /* of stacks that have no id yet, each with a NUL behind it */
  uint32_t n_stacks;   /* that have one */
  dmdv_lines_t lines;
  bool has_launches; /* they have been looked at */
  uint64_t n_runs, n_added;
} dmdv_importing_t;

/* ctx is a dmdv_importing_t. */
extern const dmd_history_taker_t dmdv_importing_taker;

/* False, with the reason on stderr. */
bool dmdv_importing_begin(dmdv_importing_t *importing, dmdv_database_t *db);
bool dmdv_importing_finish(dmdv_importing_t *importing);
void dmdv_importing_end(dmdv_importing_t *importing);

#endif
