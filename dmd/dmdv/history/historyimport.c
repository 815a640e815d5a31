/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv history import: adds what another history exported.
 */
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/history/historycommands.h"
#include "dmdv/input/profilefile.h"
#include "historydb/importing.h"
#include "host/process.h"

#include <string.h>

typedef struct {
  const char *db;
  dmdv_files_t files;
} options_t;

static const dmd_option_t options[] = {
    DMDV_DB_OPTION(options_t, db),
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv history import --db=DB FILE...\n\n"
             "Adds the runs of FILEs, which dmdv history export --format=json wrote; they may\n"
             "be gzipped; - is standard input. Runs that the history already has are skipped.\n"
             "An invalid or incomplete file adds nothing. Others may write meanwhile; repeat\n"
             "an import that was interrupted.\n\n",
     .options = &table},
    {0},
};

static bool load(dmdv_importing_t *importing, dmdv_database_t *db, const char *name) {
  dmd_fail_t fail = {0};
  if (!dmdv_load_history(&dmdv_importing_taker, importing, name, &fail))
    return dmdv_error_in(name, &fail);
  return dmdv_importing_write(importing, db);
}

static bool import_file(dmdv_database_t *db, const char *name) {
  dmdv_importing_t importing;
  dmdv_importing_begin(&importing);
  bool good = load(&importing, db, name);
  if (good && importing.n_added > 0)
    dmdv_note("%s: %llu of %llu runs added", strcmp(name, "-") == 0 ? "(standard input)" : name,
              (unsigned long long)importing.n_added, (unsigned long long)importing.runs.last);
  else if (good)
    dmdv_note("%s: the history already has all runs",
              strcmp(name, "-") == 0 ? "(standard input)" : name);
  dmdv_importing_end(&importing);
  return good;
}

static int run(int argc, char **argv) {
  options_t o = {0};
  int status = dmdv_read_command_line(&dmdv_history_import_command, &o, argc, argv, &o.files);
  if (status >= 0)
    return status;
  if (o.files.n == 0) {
    dmdv_error("history import: give the files to add; see dmdv history import --help");
    return 2;
  }
  dmdv_database_t *db = dmdv_history_open(o.db, "history import", DMDV_OPEN_OR_CREATE);
  bool good = db != NULL;
  for (int i = 0; i < o.files.n && good; i++)
    good = import_file(db, o.files.names[i]);
  if (db != NULL)
    dmdv_database_close(db);
  return good ? 0 : 2;
}

const dmdv_command_t dmdv_history_import_command = {
    "history import", "add what another history exported", parts, run};
