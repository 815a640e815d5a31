/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * commandline.h: describes the commands of dmdv, and reads their command lines.
 *
 * A command describes itself: its name, its summary, and its help in parts, each a text with a
 * table of options below it (base/optiontable.h). From this description dmdv reads the command
 * line, explains errors, prints help, and completes words for shells (complete.h). An error is one
 * line on stderr.
 */
#ifndef DMD_DMDV_COMMANDLINE_COMMANDLINE_H
#define DMD_DMDV_COMMANDLINE_COMMANDLINE_H

#include "base/optiontable.h"

typedef enum {
  DMDV_OPTIONS_OWN,      /* in help and in completion */
  DMDV_OPTIONS_SILENT,   /* read, but in neither, for other programs' scripts that pass them */
  DMDV_OPTIONS_PASSED_ON /* in completion; passed on to the program that is started, which accepts
                            values only after a = */
} dmdv_options_role_t;

/* Part of the help of a command: a text, then the output of add_text, then options. Each may be
 * missing; a part without any of them ends the list. */
typedef struct dmdv_part {
  const char *text;
  void (*add_text)(dmd_strbuf_t *text);
  const dmd_option_table_t *options;
  dmdv_options_role_t role;
  /* Subcommands, whose names are "NAME COMMAND"; NULL-terminated. */
  const struct dmdv_command *const *commands;
} dmdv_part_t;

/* The subcommands of a command, or NULL. */
const struct dmdv_command *const *dmdv_own_commands(const struct dmdv_command *command);

bool dmdv_is_last(const dmdv_part_t *part);

/* run gets the command's name in argv[0] and returns dmdv's exit status: 0 for success, 1 for
 * findings that fail a gate, 2 for an error, which it has reported. */
typedef struct dmdv_command {
  const char *name, *summary;
  const dmdv_part_t *parts;
  int (*run)(int argc, char **argv);
} dmdv_command_t;

/* The option -h, --help, which every command has. */
extern const dmd_option_table_t dmdv_help_option;

/* The arguments of a command line that are not options. */
typedef struct dmdv_files {
  char **names;
  int n;
} dmdv_files_t;

/* Fills the struct at target, which is zeroed, with the options' defaults and then with the values
 * of the command line. Returns -1 if the command can go on; otherwise the exit status: 0 after
 * printing the help, 2 after reporting an error. */
int dmdv_read_command_line(const dmdv_command_t *command, void *target, int argc, char **argv,
                           dmdv_files_t *files);

void dmdv_print_help(const dmdv_command_t *command);

/* shorthelp.c: what -h prints: at most 40 lines, with one for each option that is often needed. */
void dmdv_print_short_help(const dmdv_command_t *command);

/* The word of n that is closest in spelling, or NULL if none is close. */
const char *dmdv_nearest(const char *word, const char *const *words, int n);

#endif
