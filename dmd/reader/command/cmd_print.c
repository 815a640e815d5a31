/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv print: the records of one profile as text.
 */
#include "reader/command/commands.h"
#include "reader/command/show.h"
#include "reader/command/usage.h"
#include "reader/host/message.h"

#include <stdio.h>

static void print_help(void) {
  printf("usage: dmdv print [OPTION...] FILE\n"
         "\n"
         "Prints the records of a profile, those that hold most first. FILE is what dmd\n"
         "or Firefox's DMD wrote, gzipped or not; - is standard input.\n"
         "\n%s",
         dmdv_options_help);
}

static int print_file(const dmdv_options_t *options, int argc, char **argv) {
  if (options->causal) {
    dmdv_error("print: --causal is an option of dmdv diff");
    return 2;
  }
  if (options->n_files != 1) {
    dmdv_error("print: give one file, not %d; see dmdv print --help", options->n_files);
    return 2;
  }
  dmd_profile_t profile;
  if (!dmdv_load_or_say(&profile, options->files[0], &options->load))
    return 2;
  bool good = dmdv_show(&profile, NULL, options, argc, argv);
  dmd_profile_destroy(&profile);
  return good ? 0 : 2;
}

int dmdv_cmd_print(int argc, char **argv) {
  dmdv_options_t options;
  int status = 2;
  if (dmdv_options_parse(&options, argc, argv)) {
    if (options.help)
      print_help();
    status = options.help ? 0 : print_file(&options, argc, argv);
  }
  dmdv_options_destroy(&options);
  return status;
}
