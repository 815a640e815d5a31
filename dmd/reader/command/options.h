/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * options.h: what the commands that print records have in common on their command lines.
 */
#ifndef DMD_READER_COMMAND_OPTIONS_H
#define DMD_READER_COMMAND_OPTIONS_H

#include "reader/input/load.h"
#include "text/view.h"

typedef struct dmdv_options {
  dmdv_load_options_t load;
  dmd_view_t view;
  bool for_testing;
  bool json;
  bool causal;
  const char *output; /* NULL: standard output */
  const char **filters;
  int n_filters;
  bool help;
  char **files; /* what is left of the command line */
  int n_files;
} dmdv_options_t;

/* Parses the options of a command, whose name is argv[0]. False, with one line on stderr, when they
 * are wrong. */
bool dmdv_options_parse(dmdv_options_t *options, int argc, char **argv);
void dmdv_options_destroy(dmdv_options_t *options);

/* The help on these options, for the help of a command. */
extern const char dmdv_options_help[];

#endif
