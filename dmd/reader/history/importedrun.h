/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * importedrun.h: what an import has read so far, and which launches its runs are of in the history
 * that they come to.
 */
#ifndef DMD_READER_HISTORY_IMPORTEDRUN_H
#define DMD_READER_HISTORY_IMPORTEDRUN_H

#include "reader/history/importing.h"

typedef struct dmdv_imported_build {
  int64_t id;
  bool was_there;
} dmdv_imported_build_t;

typedef struct dmdv_imported_stack {
  int64_t id; /* 0: not known so far */
  unsigned char digest[DMDV_DIGEST_SZB];
} dmdv_imported_stack_t;

typedef struct dmdv_imported_run {
  int64_t build, environment, id;        /* ids; that of the run is 0 unless it was added */
  const char *moment, *process, *launch; /* of the import's texts: equal ones are one */
  unsigned char digest[DMDV_DIGEST_SZB];
  bool build_was_there, is_there;
} dmdv_imported_run_t;

/* When all runs were read: sets which of them are there, and the launches of the others. False,
 * with the reason on stderr. */
bool dmdv_import_launches(dmdv_importing_t *importing);

#endif
