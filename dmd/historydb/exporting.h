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

#include "base/out.h"
#include "historydb/database.h"

/* False, with the reason on stderr; the document is then incomplete. */
bool dmdv_history_export(dmdv_database_t *db, dmd_out_t *out, const char *exporter);

#endif
