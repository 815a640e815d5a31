/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * importedrun.h: assigns an import's runs to launches, both in the document and in the history that
 * it is added to.
 */
#ifndef DMD_HISTORYDB_IMPORTEDRUN_H
#define DMD_HISTORYDB_IMPORTEDRUN_H

#include "historydb/importing.h"

/* Records the launch's name, a text of the import, of a run that was just read and has all its
 * other keys.
 */
void dmdv_import_note_launch(dmdv_importing_t *importing, uint32_t run, const char *name);

/* After all runs were read: marks the runs with which a part may end. */
void dmdv_import_find_ends(dmdv_importing_t *importing);

/* For the runs of a part, whose builds and environments have ids: marks those that the history has,
 * and finds the names of their launches in the history. False, with the reason on stderr. */
bool dmdv_import_launches(dmdv_importing_t *importing, dmdv_database_t *db, uint32_t part,
                          uint32_t first, uint32_t last);

#endif
