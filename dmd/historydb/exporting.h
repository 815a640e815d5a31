/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * exporting.h: writes a history as one JSON document, which importing.h adds to another history.
 *
 * docs/format.md has its keys. Items come before those that refer to them, in the order in which
 * they were added; an item's number is its place. The document has no ids of the database, so that
 * two histories that were built alike give the same bytes. A run's records are the difference from
 * the previous run of its moment, environment and process.
 *
 * Cost: memory for all runs, and for the records of the last run of each moment, environment and
 * process.
 */
#ifndef DMD_HISTORYDB_EXPORTING_H
#define DMD_HISTORYDB_EXPORTING_H

#include "base/intern.h"
#include "base/out.h"
#include "historydb/database.h"
#include "historydb/storedset.h"

/* ---- The records of each line. ----
 *
 * The records of the last run of each moment, environment and process, while runs are
 * visited in order. */

typedef struct dmdv_line {
  dmd_stackset_t set; /* all 0: no run so far */
  int64_t id;         /* in the history; 0: unknown */
  unsigned char digest[DMDV_DIGEST_SZB];
} dmdv_line_t;

typedef struct dmdv_lines {
  dmd_intern_t keys;
  dmd_pool_t lines; /* dmdv_line_t, by key */
} dmdv_lines_t;

void dmdv_lines_init(dmdv_lines_t *lines);
void dmdv_lines_destroy(dmdv_lines_t *lines);

/* The line of these keys, added if new. environment: any number that identifies it. */
dmdv_line_t *dmdv_lines_at(dmdv_lines_t *lines, const char *moment, int64_t environment,
                           const char *process);

/* Replaces the line's set. The line takes over the new set. */
void dmdv_line_set(dmdv_line_t *line, dmd_stackset_t *set);

/* ---- Exporting. ---- */

/* False, with the reason on stderr; the document is then incomplete. */
bool dmdv_history_export(dmdv_database_t *db, dmd_out_t *out, const char *exporter);

#endif
