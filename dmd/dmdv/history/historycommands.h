/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * historycommands.h: the subcommands of dmdv history.
 */
#ifndef DMD_DMDV_HISTORY_HISTORYCOMMANDS_H
#define DMD_DMDV_HISTORY_HISTORYCOMMANDS_H

#include "base/out.h"
#include "dmdv/commandline/commandline.h"
#include "historydb/alarms.h"

extern const dmdv_command_t dmdv_history_add_command;
extern const dmdv_command_t dmdv_history_list_command;
extern const dmdv_command_t dmdv_history_show_command;
extern const dmdv_command_t dmdv_history_check_command;
extern const dmdv_command_t dmdv_history_acknowledge_command;
extern const dmdv_command_t dmdv_history_page_command;
extern const dmdv_command_t dmdv_history_export_command;
extern const dmdv_command_t dmdv_history_import_command;
extern const dmdv_command_t dmdv_history_prune_command;

/* Options that most subcommands share. */
typedef struct dmdv_history_options {
  const char *db;
  bool json;
  uint32_t max_records; /* of list, show and check; 0: all */
  const char *least;    /* SIZE or PERCENT; NULL: both defaults */
} dmdv_history_options_t;

/* Opens the history that --db names. NULL, with the reason on stderr. */
dmdv_database_t *dmdv_history_open(const char *db, const char *command, dmdv_open_t how);

/* Lets print write text to the file with this name, or to standard output if it is NULL. The output
 * begins when the text is complete and the history is closed, so that a slow reader of the output
 * does not keep writers of the history waiting. False, with one line on stderr, if it cannot be
 * written. */
bool dmdv_history_print(dmdv_database_t *db, const char *name,
                        void (*print)(void *ctx, dmd_out_t *out), void *ctx);

/* Parses --least-change. False, with the reason on stderr, if it is not a size. */
bool dmdv_history_limits(const char *least, dmd_changepoints_limits_t *limits);

#endif
