/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * commandline.h: what a command of dmdv is, and the reading of its command line.
 *
 * A command describes itself: its name, what it does, and its help in parts, each a text with a
 * table of options below it (base/optiontable.h). From this description its command line is read,
 * wrong ones are explained, help is printed, and shells complete (complete.h). What is wrong is
 * said in one line on stderr.
 */
#ifndef DMD_READER_COMMAND_COMMANDLINE_H
#define DMD_READER_COMMAND_COMMANDLINE_H

#include "base/optiontable.h"

typedef enum {
  DMDV_OPTIONS_OWN,      /* in help and in completion */
  DMDV_OPTIONS_SILENT,   /* read, but in neither: other programs' scripts pass them */
  DMDV_OPTIONS_PASSED_ON /* in completion; not read but passed on to the program that is started,
                            which takes values after a = only */
} dmdv_options_role_t;

/* Part of the help of a command: a text, then what add_text makes, then options. Each may be
 * missing; a part without any of them is the last. */
typedef struct dmdv_part {
  const char *text;
  void (*add_text)(dmd_strbuf_t *text);
  const dmd_option_table_t *options;
  dmdv_options_role_t role;
  /* Commands that the command has itself, called "NAME COMMAND"; the last is NULL. */
  const struct dmdv_command *const *commands;
} dmdv_part_t;

/* The commands that it has itself, or NULL. */
const struct dmdv_command *const *dmdv_own_commands(const struct dmdv_command *command);

bool dmdv_is_last(const dmdv_part_t *part);

/* run gets the command's name in argv[0] and returns dmdv's exit status: 0 for success, 1 for
 * findings that a gate refuses, 2 when it could not do its work, after it has said why. */
typedef struct dmdv_command {
  const char *name, *summary;
  const dmdv_part_t *parts;
  int (*run)(int argc, char **argv);
} dmdv_command_t;

/* The option -h, --help, which every command has. */
extern const dmd_option_table_t dmdv_help_option;

/* The part of a command line that is not options. */
typedef struct dmdv_files {
  char **names;
  int n;
} dmdv_files_t;

/* Gives the options in the struct at target, which is zeroed, their defaults and then the values of
 * the command line. Returns -1 if the command can go on; else the exit status: 0 after it has
 * printed the help, 2 after it has said what is wrong. */
int dmdv_read_command_line(const dmdv_command_t *command, void *target, int argc, char **argv,
                           dmdv_files_t *files);

void dmdv_print_help(const dmdv_command_t *command);

/* Of n words the one that was probably meant, or NULL. */
const char *dmdv_nearest(const char *word, const char *const *words, int n);

#endif
