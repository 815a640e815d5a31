/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_options.h: the tool's command-line options.
 *
 * dm_process_option parses one argument (Valgrind calls it for each); dm_check_options looks at the
 * whole once all are known, and ends Valgrind with its usual bad-option message where needed.
 */
#ifndef DMD_TOOL_DM_OPTIONS_H
#define DMD_TOOL_DM_OPTIONS_H

#include "pub_tool_basics.h"

#include "analysis/record.h"
#include "live/live.h"

typedef enum { DM_EXIT_AUTO, DM_EXIT_YES, DM_EXIT_NO } dm_dump_at_exit_t;

typedef enum { DM_ADVICE_AUTO, DM_ADVICE_YES, DM_ADVICE_NO } dm_advice_t;

typedef struct {
  dmd_live_config_t live;
  dmd_sort_by_t sort_by;
  UInt max_records; /* 0: all */
  Int max_frames;
  dm_dump_at_exit_t dump_at_exit;
  dm_advice_t advice;
  const HChar *out_file; /* a pattern, see --dmd-out-file */
  Bool direct_requests;  /* for tests: answer frequent requests in translated code */
  Bool check_stacks;     /* for tests: unwind known stacks too, and compare */
  HChar *given;          /* dmd's own options as the user gave them; NULL: none */
} dm_options_t;

extern dm_options_t g_options;

Bool dm_process_option(const HChar *arg);
void dm_check_options(void);
void dm_print_usage(void);
void dm_print_debug_usage(void);

#endif
