/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * importedrun.h: which launches an import's runs are of, in the document and in the history that
 * they come to.
 */
#ifndef DMD_READER_HISTORY_IMPORTEDRUN_H
#define DMD_READER_HISTORY_IMPORTEDRUN_H

#include "reader/history/importing.h"

/* Of a run that has just come, with all other keys: its launch has this name, a text of the import.
 */
void dmdv_import_note_launch(dmdv_importing_t *importing, uint32_t run, const char *name);

/* When all runs have come: sets with which of them a part may end. */
void dmdv_import_find_ends(dmdv_importing_t *importing);

/* Of the runs of a part, whose builds and environments have ids: sets which of them are there, and
 * the names that their launches have in the history. False, with the reason on stderr. */
bool dmdv_import_launches(dmdv_importing_t *importing, dmdv_database_t *db, uint32_t part,
                          uint32_t first, uint32_t last);

#endif
