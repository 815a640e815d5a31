/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv history import: what another history exported.
 */
#include "reader/command/historycommands.h"
#include "reader/history/importing.h"
#include "reader/host/message.h"
#include "reader/input/load.h"

#include <string.h>

typedef struct {
  const char *db;
  dmdv_files_t files;
} options_t;

static const dmd_option_t options[] = {
    {"db", "DB", NULL,
     "the history to add it to: a file, which is made where there is none, or postgresql://...",
     DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, db), .is_file = true},
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv history import --db=DB FILE...\n"
             "\n"
             "Adds what dmdv history export --format=json wrote, gzipped or not; - is standard\n"
             "input. What is there already is left alone. Of a file that is wrong, or not whole,\n"
             "nothing is added. Others may write meanwhile; an import that was ended is done\n"
             "once more.\n"
             "\n",
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
    dmdv_note("%s: all runs were there already",
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
