/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * historycommands.h: the parts of dmdv history, which are commands themselves.
 */
#ifndef DMD_READER_COMMAND_HISTORYCOMMANDS_H
#define DMD_READER_COMMAND_HISTORYCOMMANDS_H

#include "reader/command/commandline.h"
#include "reader/history/alarms.h"

extern const dmdv_command_t dmdv_history_add_command;
extern const dmdv_command_t dmdv_history_list_command;
extern const dmdv_command_t dmdv_history_show_command;
extern const dmdv_command_t dmdv_history_check_command;
extern const dmdv_command_t dmdv_history_acknowledge_command;
extern const dmdv_command_t dmdv_history_page_command;
extern const dmdv_command_t dmdv_history_export_command;
extern const dmdv_command_t dmdv_history_import_command;
extern const dmdv_command_t dmdv_history_prune_command;

/* The options that most of them have. */
typedef struct dmdv_history_options {
  const char *db;
  bool json;
  const char *least; /* SIZE or PERCENT; NULL: both defaults */
} dmdv_history_options_t;

/* Opens what --db names. NULL, with the reason on stderr. */
dmdv_database_t *dmdv_history_open(const char *db, const char *command, dmdv_open_t how);

/* What --least-change says; false, with the reason on stderr, if that is no size. */
bool dmdv_history_limits(const char *least, dmd_steps_limits_t *limits);

#endif
