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
#include "dmdv/commandline/recordoptions.h"
#include "dmdv/run/overview.h"
#include "host/child.h"
#include "host/output.h"
#include "host/process.h"
#include "host/progress.h"

#include "dmd-config.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* In the order of the help, in which a title comes before the first command of a group. Those after
 * `more` are only in dmdv help all. */
static const dmdv_command_t *const commands[] = {
    &dmdv_run_command,       &dmdv_print_command,     &dmdv_tree_command,
    &dmdv_timeline_command,  &dmdv_view_command,      &dmdv_owners_command,
    &dmdv_waste_command,     &dmdv_leaks_command,     &dmdv_diff_command,
    &dmdv_check_command,     &dmdv_export_command,    &dmdv_history_command,
    &dmdv_claims_command,    &dmdv_census_command,    &dmdv_retained_command,
    &dmdv_paths_command,     &dmdv_referrers_command, &dmdv_merge_command,
    &dmdv_memory_command,    &dmdv_status_command,    &dmdv_dump_command,
    &dmdv_symbolize_command, &dmdv_push_command,      NULL,
};
static const dmdv_command_t *const more = &dmdv_claims_command;
static const struct {
  const dmdv_command_t *before;
  const char *title;
} titles[] = {{&dmdv_run_command, "record"},
              {&dmdv_print_command, "look"},
              {&dmdv_owners_command, "find what to do"},
              {&dmdv_diff_command, "compare and export"},
              {&dmdv_claims_command, "heap graphs"},
              {&dmdv_merge_command, "processes"},
              {&dmdv_symbolize_command, "symbols and stores"}};
enum { N_TITLES = sizeof titles / sizeof titles[0] };
enum { N_COMMANDS = sizeof commands / sizeof commands[0] - 1 };

/* For somebody who types dmdv alone. */
static void print_overview(void) {
  printf("dmdv ./program        runs a program and shows where its memory goes\n"
         "dmdv FILE             shows the same for a profile\n"
         "dmdv --pid=PID        shows the memory of a running program\n"
         "dmdv view FILE...     shows profiles in a browser\n"
         "dmdv timeline FILE    shows the heap over time\n"
         "dmdv diff OLD NEW     prints what changed between two profiles\n"
         "dmdv check FILE       checks limits, for continuous integration\n"
         "dmdv --help           lists the commands\n");
}

/* With all: also the commands that are rarely needed. */
static void print_help(bool all) {
  printf("usage: dmdv PROGRAM [ARGUMENT...]     runs a program, shows where its memory goes\n"
         "       dmdv [--json] FILE...          shows the same for profiles\n"
         "       dmdv --pid=PID                 shows it for a running program\n"
         "       dmdv COMMAND [OPTION...] FILE...\n"
         "\n"
         "commands:\n");
  for (int i = 0; i < N_COMMANDS && (all || commands[i] != more); i++) {
    for (int k = 0; k < N_TITLES; k++)
      if (titles[k].before == commands[i])
        printf(" %s:\n", titles[k].title);
    printf("  %-9s %s\n", commands[i]->name, commands[i]->summary);
  }
  printf("\nSee dmdv help COMMAND; %sdmdv --version prints the version.\n",
         all ? "" : "dmdv help all lists more commands; ");
}

static int unknown_command(const char *word) {
  const char *names[N_COMMANDS];
  if (access(word, F_OK) == 0) {
    dmdv_error("%s is neither a profile nor a program; dmdv history reads histories", word);
    return 2;
  }
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

/* Whether the file begins as a profile does, gzipped or not. No program does. */
static bool is_data(const char *name) {
  FILE *file = fopen(name, "rb");
  int first = file != NULL ? getc(file) : EOF;
  if (file != NULL)
    fclose(file);
  return first == '{' || first == 0x1f;
}

static bool names_program(const char *word) {
  dmd_strbuf_t path;
  dmd_strbuf_init(&path, &dmdv_env);
  bool is_found = dmdv_child_find(word, &path);
  dmd_strbuf_destroy(&path);
  return is_found;
}

static bool are_data(char **words) {
  for (; *words != NULL; words++)
    if (!is_data(*words))
      return false;
  return true;
}

/* Everything from argv[1] on is the command's arguments. A command line that is printed begins with
 * the command's name. */
static int run_with_all(const dmdv_command_t *command, int argc, char **argv) {
  static char name[16];
  snprintf(name, sizeof name, "%s", command->name);
  argv[0] = name;
  return command->run(argc, argv);
}

/* The command line does not begin with a command: it names a process, profiles, with options of
 * print or without, or a program, also after options of run. */
static int run_without_command(int argc, char **argv) {
  const char *word = argv[1];
  static const char pid[] = "--pid=";
  if (argc == 2 && strncmp(word, pid, sizeof pid - 1) == 0)
    return dmdv_look_at_process(word + sizeof pid - 1);
  if (are_data(argv + 1))
    return dmdv_overview_of_files(argc - 1, argv + 1, false);
  if (strcmp(word, "--json") == 0 && argc > 2 && are_data(argv + 2)) {
    dmdv_errors_as_json();
    return dmdv_overview_of_files(argc - 2, argv + 2, true);
  }
  if (is_data(word))
    return run_with_all(&dmdv_print_command, argc, argv);
  if (word[0] == '-' || names_program(word))
    return run_with_all(&dmdv_run_command, argc, argv);
  return unknown_command(word);
}

/* Prints the help of the command with this name, or of dmdv if it is NULL. */
static int help(const char *name) {
  const dmdv_command_t *command = name != NULL ? find_command(name) : NULL;
  bool is_all = name != NULL && strcmp(name, "all") == 0;
  if (command != NULL)
    dmdv_print_help(command);
  else if (name == NULL || is_all)
    print_help(is_all);
  else
    return unknown_command(name);
  return 0;
}

int main(int argc, char **argv) {
  dmdv_host_init();
  if (argc < 2) {
    print_overview();
    return 0;
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
  int status = command != NULL ? command->run(argc - 1, argv + 1) : run_without_command(argc, argv);
  dmdv_work_end();
  dmdv_pager_end();
  dmdv_naming_end(status != 2);
  return status;
}
