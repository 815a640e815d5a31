/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv: reads profiles that dmd, or Firefox's DMD, wrote.
 *
 * main finds the command and hands over; each command is a file of its own. A file comes in through
 * load.h (input -> cutter -> load) as a profile, and goes out through the same record and text
 * modules that the tool uses.
 */
#include "reader/command/commands.h"
#include "reader/command/complete.h"
#include "reader/command/naming.h"
#include "reader/host/host.h"
#include "reader/host/message.h"
#include "reader/host/pager.h"
#include "reader/host/progress.h"

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
         "dmdv help COMMAND says more; dmdv --version prints the version.\n");
}

static int unknown_command(const char *word) {
  const char *names[N_COMMANDS];
  for (int i = 0; i < N_COMMANDS; i++)
    names[i] = commands[i]->name;
  const char *nearest = dmdv_nearest(word, names, N_COMMANDS);
  if (nearest != NULL)
    dmdv_error("there is no command '%s'; did you mean '%s'?", word, nearest);
  else
    dmdv_error("there is no command '%s'; see dmdv --help", word);
  return 2;
}

/* NULL: there is no command of this name. */
static const dmdv_command_t *find_command(const char *name) {
  for (int i = 0; i < N_COMMANDS; i++)
    if (strcmp(name, commands[i]->name) == 0)
      return commands[i];
  return NULL;
}

/* Of the command with this name, or of dmdv. */
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
    dmdv_error("what to do? See dmdv --help");
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
