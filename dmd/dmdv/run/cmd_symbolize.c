/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv symbolize: adds names and lines to profiles that were recorded where there were none.
 */
#include "debuginfo/names.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/run/rewrite.h"
#include "host/process.h"

#include <inttypes.h>

typedef struct {
  const char *output; /* NULL: the file itself */
  const char *debug_folder, *symbol_folder;
  dmdv_files_t files;
} options_t;

static const dmd_option_t options[] = {
    DMDV_OUTPUT_OPTION(options_t, output, NULL,
                       "write to FILE instead of the same file" DMDV_GZIPPED),
    {"debug-dir", "FOLDER", NULL,
     "search this folder first for separate debug information, by file name and in .build-id",
     DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, debug_folder), .is_file = true},
    {"symbols", "FOLDER", NULL,
     "folder of Breakpad's symbol files, NAME/ID/NAME.sym or NAME.sym, for what debug information "
     "does not have",
     DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, symbol_folder), .is_file = true},
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv symbolize [OPTION...] FILE...\n\n"
             "Finds the functions, lines and inlined calls of frames that were recorded\n"
             "without them, since the program was stripped or its debug information\n"
             "was elsewhere, and writes the profiles again. The objects' build ids decide\n"
             "which files are the right ones. They are searched under the objects' own paths,\n"
             "in the usual folders, and where the options say.\n\n"
             "options:\n",
     .options = &table},
    {0},
};

static bool add_names(const options_t *o, dmdv_rewrite_t *rewrite) {
  dmdv_names_t *names = dmdv_names_new(false);
  dmdv_names_search(names, o->debug_folder, o->symbol_folder);
  const dmd_load_options_t load = {
      .contents = true, .moment = DMD_MOMENT_ALL, .namer = dmdv_names_namer(names)};
  dmd_profile_t profile;
  bool good = dmdv_rewrite_load(rewrite, &profile, &load);
  if (good) {
    dmdv_names_counts_t counts = dmdv_names_counts(names);
    dmdv_note("%s: %" PRIu64 " of %" PRIu64 " places have names", rewrite->name, counts.n_named,
              counts.n_asked);
    dmdv_names_tell(names);
    good = o->output == NULL ? dmdv_rewrite_save(rewrite, &profile)
                             : dmdv_rewrite_save_as(rewrite, &profile, o->output);
    dmd_profile_destroy(&profile);
  }
  dmdv_names_free(names);
  return good;
}

static bool symbolize(const options_t *o, const char *name) {
  dmdv_rewrite_t rewrite;
  dmdv_rewrite_state_t state = dmdv_rewrite_open(&rewrite, name);
  if (state == DMDV_REWRITE_NOTHING)
    return dmdv_error("symbolize: %s: there is no such regular file", name);
  bool good = state == DMDV_REWRITE_OPEN && add_names(o, &rewrite);
  dmdv_rewrite_close(&rewrite);
  return good;
}

static int run(int argc, char **argv) {
  options_t o = {0};
  int status = dmdv_read_command_line(&dmdv_symbolize_command, &o, argc, argv, &o.files);
  if (status >= 0)
    return status;
  if (o.files.n < 1 || (o.files.n > 1 && o.output != NULL)) {
    dmdv_error(o.files.n < 1 ? "symbolize: give one or more files; see dmdv symbolize --help"
                             : "symbolize: --output needs a single file");
    return 2;
  }
  bool good = true;
  for (int i = 0; i < o.files.n; i++)
    good = symbolize(&o, o.files.names[i]) && good;
  return good ? 0 : 2;
}

const dmdv_command_t dmdv_symbolize_command = {
    "symbolize", "add names and lines to profiles of stripped programs", parts, run};
