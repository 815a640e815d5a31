/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In place of database.c and what stands on it, where there is no SQLite.
 */
#include "reader/command/commands.h"
#include "reader/host/message.h"

static int run(int argc, char **argv) {
  (void)argc, (void)argv;
  dmdv_error("this dmdv was built without SQLite, so it has no histories: install libsqlite3-dev "
             "and build it again");
  return 2;
}

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv history COMMAND --db=FILE [OPTION...]\n"
             "\n"
             "Left out of this dmdv: it was built without SQLite.\n"},
    {0},
};

const dmdv_command_t dmdv_history_command = {
    "history", "watch the figures of builds, and find which build changed them", parts, run};
