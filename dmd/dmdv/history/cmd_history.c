/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv history: the metrics of a program's builds, and the change points in them.
 */
#include "analyse/limits/size.h"
#include "base/strbuf.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/history/historycommands.h"
#include "host/output.h"
#include "host/process.h"

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

static void print_text(void *ctx, dmd_out_t *out) {
  const dmd_strbuf_t *text = ctx;
  dmd_out_bytes(out, text->text, text->n);
}

bool dmdv_history_print(dmdv_database_t *db, const char *name,
                        void (*print)(void *ctx, dmd_out_t *out), void *ctx) {
  dmd_strbuf_t text;
  dmd_out_t out;
  dmd_strbuf_init(&text, &dmdv_env);
  dmd_out_init(&out, dmd_strbuf_write, &text);
  print(ctx, &out);
  dmd_out_flush(&out);
  bool good = dmdv_sql_is_good(db) && dmdv_database_commit(db) &&
              dmdv_output_print(name, false, print_text, &text);
  dmd_strbuf_destroy(&text);
  return good;
}

bool dmdv_history_limits(const char *least, dmd_changepoints_limits_t *limits) {
  const double millionth_of_percent = 1e-8;
  *limits = (dmd_changepoints_limits_t){.least = 4096, .least_share = 0.002};
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

/* The name without "history ", which every subcommand's name begins with. */
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
    {.text = "usage: dmdv history COMMAND --db=DB [OPTION...]\n\n"
             "Keeps the metrics of a program's builds in DB, a file or a database of a\n"
             "PostgreSQL server (postgresql://USER@HOST/NAME), and finds where they change.\n\n"
             "commands:\n",
     .add_text = add_subcommands,
     .commands = subcommands,
     .options = &no_options},
    {.text = "\n"
             "See dmdv history COMMAND --help.\n"},
    {0},
};

static int run(int argc, char **argv) {
  const char *names[N_SUBCOMMANDS];
  for (int i = 0; i < N_SUBCOMMANDS; i++)
    names[i] = short_name(subcommands[i]);
  if (argc < 2) {
    dmdv_error("history: give a command; see dmdv history --help");
    return 2;
  }
  if (argv[1][0] == '-') {
    struct {
      int none;
    } none = {0};
    dmdv_files_t files;
    int status = dmdv_read_command_line(&dmdv_history_command, &none, argc, argv, &files);
    if (status < 0)
      dmdv_error("history: give the command first; see dmdv history --help");
    return status < 0 ? 2 : status;
  }
  for (int i = 0; i < N_SUBCOMMANDS; i++)
    if (strcmp(argv[1], names[i]) == 0)
      return subcommands[i]->run(argc - 1, argv + 1);
  const char *nearest = dmdv_nearest(argv[1], names, N_SUBCOMMANDS);
  if (nearest != NULL)
    dmdv_error("history: unknown command '%s'; did you mean '%s'?", argv[1], nearest);
  else
    dmdv_error("history: unknown command '%s'; see dmdv history --help", argv[1]);
  return 2;
}

const dmdv_command_t dmdv_history_command = {
    "history", "record the metrics of builds, and find the build that changed them", parts, run};
