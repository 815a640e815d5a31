/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv: reads profiles that dmd, or Firefox's DMD, wrote.
 *
 * main finds the command and runs it; each command has a file of its own. Files are read through
 * input/profilefile.h as profiles, and printed by the same modules for records and text that the
 * tool uses.
 */
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/complete.h"
#include "dmdv/commandline/namer.h"
#include "host/message.h"
#include "host/pager.h"
#include "host/process.h"
#include "host/progress.h"

#include "dmd-config.h"

#include <stdio.h>
#include <string.h>

static const dmdv_command_t *const commands[] = {
    &dmdv_print_command,     &dmdv_diff_command,     &dmdv_tree_command,
    &dmdv_check_command,     &dmdv_export_command,   &dmdv_merge_command,
    &dmdv_run_command,       &dmdv_dump_command,     &dmdv_status_command,
    &dmdv_census_command,    &dmdv_retained_command, &dmdv_paths_command,
    &dmdv_referrers_command, &dmdv_leaks_command,    &dmdv_owners_command,
    &dmdv_view_command,      &dmdv_history_command,  NULL,
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] - 1 };

static void print_help(void) {
  printf("usage: dmdv COMMAND [OPTION...] FILE...\n"
         "\n"
         "Reads the profiles of `valgrind --tool=dmd` and of Firefox's DMD.\n"
         "\n"
         "commands:\n");
  for (int i = 0; i < N_COMMANDS; i++)
    printf("  %-9s %s\n", commands[i]->name, commands[i]->summary);
  printf("\n"
         "See dmdv help COMMAND; dmdv --version prints the version.\n");
}

static int unknown_command(const char *word) {
  const char *names[N_COMMANDS];
  for (int i = 0; i < N_COMMANDS; i++)
    names[i] = commands[i]->name;
  const char *nearest = dmdv_nearest(word, names, N_COMMANDS);
  if (nearest != NULL)
    dmdv_error("unknown command '%s'; did you mean '%s'?", word, nearest);
  else
    dmdv_error("unknown command '%s'; see dmdv --help", word);
  return 2;
}

/* The command of this name, or NULL. */
static const dmdv_command_t *find_command(const char *name) {
  for (int i = 0; i < N_COMMANDS; i++)
    if (strcmp(name, commands[i]->name) == 0)
      return commands[i];
  return NULL;
}

/* Prints the help of the command with this name, or of dmdv if it is NULL. */
static int help(const char *name) {
  const dmdv_command_t *command = name != NULL ? find_command(name) : NULL;
  if (command != NULL)
    dmdv_print_help(command);
  else if (name == NULL)
    print_help();
  else
    return unknown_command(name);
  return 0;
}

int main(int argc, char **argv) {
  dmdv_host_init();
  if (argc < 2) {
    dmdv_error("give a command; see dmdv --help");
    return 2;
  }
  const char *word = argv[1];
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
    return help(argc > 2 ? argv[2] : NULL);
  if (strcmp(word, "--version") == 0) {
    printf("dmdv %s\n", DMD_VERSION);
    return 0;
  }
  if (strcmp(word, "complete") == 0 && argc > 2) {
    dmdv_complete(commands, argv + 2, argc - 2);
    return 0;
  }
  const dmdv_command_t *command = find_command(word);
  if (command == NULL)
    return unknown_command(word);
  int status = command->run(argc - 1, argv + 1);
  dmdv_work_end();
  dmdv_pager_end();
  dmdv_naming_end(status != 2);
  return status;
}
