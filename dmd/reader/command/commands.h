/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * commands.h: what dmdv can do, one file a command.
 *
 * A command gets its own name in argv[0] and returns dmdv's exit status: 0 for success, 1 for
 * findings that a gate refuses, 2 when it could not do its work, which one line on stderr explains.
 */
#ifndef DMD_READER_COMMAND_COMMANDS_H
#define DMD_READER_COMMAND_COMMANDS_H

int dmdv_cmd_print(int argc, char **argv);
int dmdv_cmd_diff(int argc, char **argv);
int dmdv_cmd_tree(int argc, char **argv);
int dmdv_cmd_check(int argc, char **argv);
int dmdv_cmd_export(int argc, char **argv);
int dmdv_cmd_merge(int argc, char **argv);
int dmdv_cmd_run(int argc, char **argv);

#endif
