/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * commands.h: the commands of dmdv, one file each.
 */
#ifndef DMD_DMDV_COMMANDLINE_COMMANDS_H
#define DMD_DMDV_COMMANDLINE_COMMANDS_H

#include "dmdv/commandline/commandline.h"

extern const dmdv_command_t dmdv_print_command;
extern const dmdv_command_t dmdv_diff_command;
extern const dmdv_command_t dmdv_tree_command;
extern const dmdv_command_t dmdv_timeline_command;
extern const dmdv_command_t dmdv_check_command;
extern const dmdv_command_t dmdv_census_command;
extern const dmdv_command_t dmdv_claims_command;
extern const dmdv_command_t dmdv_leaks_command;
extern const dmdv_command_t dmdv_owners_command;
extern const dmdv_command_t dmdv_paths_command;
extern const dmdv_command_t dmdv_referrers_command;
extern const dmdv_command_t dmdv_retained_command;
extern const dmdv_command_t dmdv_waste_command;
extern const dmdv_command_t dmdv_export_command;
extern const dmdv_command_t dmdv_merge_command;
extern const dmdv_command_t dmdv_push_command;
extern const dmdv_command_t dmdv_run_command;
extern const dmdv_command_t dmdv_symbolize_command;
extern const dmdv_command_t dmdv_dump_command;
extern const dmdv_command_t dmdv_status_command;
extern const dmdv_command_t dmdv_memory_command;
extern const dmdv_command_t dmdv_view_command;
extern const dmdv_command_t dmdv_history_command;

/* dmdv --pid=PID: shows the heap of a process under the native engine, or else the memory that the
 * system knows of. Returns the exit status. */
int dmdv_look_at_process(const char *pid);

#endif
