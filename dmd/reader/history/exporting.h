/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * exporting.h: all of a history as one JSON document, which importing.h reads into another one.
 *
 * docs/format.md has its keys. What others refer to comes before them, in the order in which it was
 * added, and has its place there as its number: ids of the database are not in it, so that two
 * histories that were added alike give the same bytes. A run's records are the difference from the
 * run before of its moment, environment and process.
 *
 * Cost: memory for all runs, and for what the last run of each moment, environment and process
 * held.
 */
#ifndef DMD_READER_HISTORY_EXPORTING_H
#define DMD_READER_HISTORY_EXPORTING_H

#include "base/out.h"
#include "reader/history/database.h"

/* False, with the reason on stderr; what was written then is not whole. */
bool dmdv_history_export(dmdv_database_t *db, dmd_out_t *out, const char *exporter);

#endif
