/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv print: the records of one profile as text.
 */
#include "reader/command/commands.h"
#include "reader/command/ownersbeside.h"
#include "reader/command/show.h"
#include "reader/host/message.h"

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv print [OPTION...] FILE\n"
             "\n"
             "Prints the records of a profile, those that hold most first. FILE is what dmd\n"
             "or Firefox's DMD wrote, gzipped or not; - is standard input.\n"
             "\n",
     .options = &dmdv_record_options},
    {.options = &dmdv_print_options},
    {.options = &dmdv_accepted_options, .role = DMDV_OPTIONS_SILENT},
    {0},
};

/* JSON and tables of rows have no advice. */
static bool show(dmd_profile_t *profile, const dmdv_options_t *options, int argc, char **argv) {
  dmdv_owners_beside_t beside = {.is_there = false};
  bool has_advice = !options->json && options->view.by == DMD_BY_RECORD && !options->for_testing;
  if (options->owners && has_advice)
    dmdv_owners_beside_init(&beside, profile, options->files.names[0], options->view.max_frames);
  bool good =
      dmdv_show(profile, NULL, beside.is_there ? &beside.advice : NULL, options, argc, argv);
  dmdv_owners_beside_destroy(&beside);
  return good;
}

static int print_file(const dmdv_options_t *options, int argc, char **argv) {
  if (options->files.n != 1) {
    dmdv_error("print: give one file, not %d; see dmdv print --help", options->files.n);
    return 2;
  }
  dmd_profile_t profile;
  if (!dmdv_load_or_say(&profile, options->files.names[0], &options->load))
    return 2;
  bool good = show(&profile, options, argc, argv);
  dmd_profile_destroy(&profile);
  return good ? 0 : 2;
}

static int run(int argc, char **argv) {
  dmdv_options_t options;
  int status = dmdv_options_read(&options, &dmdv_print_command, argc, argv);
  if (status < 0)
    status = print_file(&options, argc, argv);
  dmdv_options_destroy(&options);
  return status;
}

const dmdv_command_t dmdv_print_command = {"print", "print a profile's records, the largest first",
                                           parts, run};
