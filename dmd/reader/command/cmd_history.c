/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv history: the figures of a program's builds, and the steps in them.
 */
#include "analysis/size.h"
#include "reader/command/commands.h"
#include "reader/command/historycommands.h"
#include "reader/host/message.h"

#include <string.h>

static const dmdv_command_t *const subcommands[] = {
    &dmdv_history_add_command,         &dmdv_history_list_command,
    &dmdv_history_show_command,        &dmdv_history_check_command,
    &dmdv_history_acknowledge_command, &dmdv_history_page_command,
    &dmdv_history_export_command,      &dmdv_history_import_command,
    &dmdv_history_prune_command,       NULL,
};
enum { N_SUBCOMMANDS = sizeof subcommands / sizeof *subcommands - 1 };

dmdv_database_t *dmdv_history_open(const char *db, const char *command, dmdv_open_t how) {
  if (db == NULL) {
    dmdv_error("%s: give the history with --db=DB", command);
    return NULL;
  }
  return dmdv_database_open(db, how);
}

bool dmdv_history_limits(const char *least, dmd_steps_limits_t *limits) {
  const double millionth_of_percent = 1e-8;
  *limits = (dmd_steps_limits_t){.least = 4096, .least_share = 0.002};
  if (least == NULL)
    return true;
  dmd_size_t size;
  const char *why = dmd_size_parse(least, &size);
  if (why != NULL)
    return dmdv_error("--least-change=%s: %s", least, why);
  limits->least = size.is_percent ? 0 : (double)size.value;
  limits->least_share = size.is_percent ? (double)size.value * millionth_of_percent : 0;
  return true;
}

/* A subcommand's name begins with "history ". */
static const char *short_name(const dmdv_command_t *command) {
  return strchr(command->name, ' ') + 1;
}

static void add_subcommands(dmd_strbuf_t *help) {
  enum { COLUMN = 13 };
  for (int i = 0; i < N_SUBCOMMANDS; i++) {
    dmd_strbuf_str(help, "  ");
    dmd_strbuf_str(help, short_name(subcommands[i]));
    for (size_t n = strlen(short_name(subcommands[i])); n < COLUMN; n++)
      dmd_strbuf_str(help, " ");
    dmd_strbuf_str(help, subcommands[i]->summary);
    dmd_strbuf_str(help, "\n");
  }
  dmd_strbuf_str(help, "\n");
}

static const dmd_option_table_t no_options = {NULL, 0};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv history COMMAND --db=DB [OPTION...]\n"
             "\n"
             "Keeps the figures of a program's builds in DB, a file or a database of a PostgreSQL\n"
             "server (postgresql://USER@HOST/NAME), and finds where they change.\n"
             "\n"
             "commands:\n",
     .add_text = add_subcommands,
     .commands = subcommands,
     .options = &no_options},
    {.text = "\ndmdv history COMMAND --help says more.\n"},
    {0},
};

static int run(int argc, char **argv) {
  const char *names[N_SUBCOMMANDS];
  for (int i = 0; i < N_SUBCOMMANDS; i++)
    names[i] = short_name(subcommands[i]);
  if (argc < 2) {
    dmdv_error("history: what to do? See dmdv history --help");
    return 2;
  }
  if (argv[1][0] == '-') {
    struct {
      int none;
    } none = {0};
    dmdv_files_t files;
    int status = dmdv_read_command_line(&dmdv_history_command, &none, argc, argv, &files);
    if (status < 0)
      dmdv_error("history: the command comes first; see dmdv history --help");
    return status < 0 ? 2 : status;
  }
  for (int i = 0; i < N_SUBCOMMANDS; i++)
    if (strcmp(argv[1], names[i]) == 0)
      return subcommands[i]->run(argc - 1, argv + 1);
  const char *nearest = dmdv_nearest(argv[1], names, N_SUBCOMMANDS);
  if (nearest != NULL)
    dmdv_error("history: there is no command '%s'; did you mean '%s'?", argv[1], nearest);
  else
    dmdv_error("history: there is no command '%s'; see dmdv history --help", argv[1]);
  return 2;
}

const dmdv_command_t dmdv_history_command = {
    "history", "watch the figures of builds, and find which build changed them", parts, run};
