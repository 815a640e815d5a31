/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv history in a build without SQLite.
 */
#include "dmdv/commandline/commands.h"
#include "host/process.h"

#include <string.h>

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv history COMMAND --db=DB [OPTION...]\n\n"
             "Not available: this dmdv was built without SQLite.\n"},
    {0},
};

static int run(int argc, char **argv) {
  if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
    dmdv_print_help(&dmdv_history_command);
    return 0;
  }
  dmdv_error("this dmdv was built without SQLite, which histories need: install libsqlite3-dev and "
             "build it again");
  return 2;
}

const dmdv_command_t dmdv_history_command = {
    "history", "record the metrics of builds, and find the build that changed them", parts, run};
