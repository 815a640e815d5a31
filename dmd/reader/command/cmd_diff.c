/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv diff: what changed between two profiles, as records of the difference.
 */
#include "analysis/combine.h"
#include "reader/command/commands.h"
#include "reader/command/show.h"
#include "reader/host/host.h"
#include "reader/host/message.h"
#include "reader/host/outfile.h"
#include "reader/host/pager.h"
#include "text/print.h"
#include "text/text_changes.h"

#include <string.h>

static const dmd_option_t diff_options[] = {
    {"causal", NULL, NULL,
     "say instead which places are new, gone, grown or shrunk, or have changed their report "
     "state; places are the same when only their line numbers differ",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(dmdv_options_t, causal)},
};
static const dmd_option_table_t diff_table = {diff_options,
                                              sizeof diff_options / sizeof *diff_options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv diff [OPTION...] OLD NEW\n"
             "\n"
             "Prints what changed from the profile OLD to the profile NEW, as records: blocks\n"
             "and sizes that are gone are negative, the largest changes come first.\n"
             "\n",
     .options = &diff_table},
    {.options = &dmdv_record_options},
    {.options = &dmdv_accepted_options, .role = DMDV_OPTIONS_SILENT},
    {0},
};

static bool print_changes(const dmd_profile_t *old, const dmd_profile_t *new,
                          const dmdv_options_t *options) {
  dmdv_pager_begin(options->output == NULL && !options->no_pager);
  dmdv_outfile_t *file = dmdv_outfile_open(options->output, false);
  if (file == NULL)
    return false;
  dmd_out_t out;
  dmd_out_init(&out, dmdv_outfile_write, file);
  dmd_changes_t changes;
  dmd_changes_init(&changes, old, new, options->view.max_frames);
  dmd_print_run(&out, " 1", old);
  dmd_print_run(&out, " 2", new);
  dmd_changes_print(&out, &changes, options->view.max_records);
  dmd_changes_destroy(&changes);
  dmd_out_flush(&out);
  return dmdv_outfile_close(file, true);
}

static bool diff_profiles(dmd_profile_t *old, dmd_profile_t *new, const dmdv_options_t *options,
                          int argc, char **argv) {
  if (!dmdv_are_of_one_mode(options->files.names[0], old->mode, options->files.names[1], new->mode,
                            "they cannot be compared"))
    return false;
  if (options->causal)
    return print_changes(old, new, options);
  dmd_profile_t difference;
  dmd_profile_init(&difference, &dmdv_env);
  difference.mode = new->mode;
  difference.options = dmd_profile_keep(&difference, new->options);
  dmd_difference(&difference, old, new);
  const dmd_profile_t *const compared[2] = {old, new};
  bool good = dmdv_show(&difference, compared, options, argc, argv);
  dmd_profile_destroy(&difference);
  return good;
}

static int diff_files(const dmdv_options_t *options, int argc, char **argv) {
  if (options->files.n != 2) {
    dmdv_error("diff: give two files, not %d; see dmdv diff --help", options->files.n);
    return 2;
  }
  if (strcmp(options->files.names[0], "-") == 0 && strcmp(options->files.names[1], "-") == 0) {
    dmdv_error("diff: standard input can be one of the files only");
    return 2;
  }
  bool with_records = options->json || options->view.by != DMD_BY_RECORD ||
                      options->view.sections != 0 || options->n_filters > 0;
  if (options->causal && with_records) {
    dmdv_error("diff: --causal does not go with --json, --by, --section or --filter");
    return 2;
  }
  dmd_profile_t old, new;
  if (!dmdv_load_or_say(&old, options->files.names[0], &options->load))
    return 2;
  bool good = dmdv_load_or_say(&new, options->files.names[1], &options->load);
  if (good) {
    good = diff_profiles(&old, &new, options, argc, argv);
    dmd_profile_destroy(&new);
  }
  dmd_profile_destroy(&old);
  return good ? 0 : 2;
}

static int run(int argc, char **argv) {
  dmdv_options_t options;
  int status = dmdv_options_read(&options, &dmdv_diff_command, argc, argv);
  if (status < 0)
    status = diff_files(&options, argc, argv);
  dmdv_options_destroy(&options);
  return status;
}

const dmdv_command_t dmdv_diff_command = {"diff", "print what changed between two profiles", parts,
                                          run};
