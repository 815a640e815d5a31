/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_options.h: the tool's command-line options: the engine's (engine/options.h), and a few of its
 * own.
 *
 * dm_process_option parses one argument (Valgrind calls it for each). It ends Valgrind with its
 * usual bad-option message where needed.
 */
#ifndef DMD_TOOL_DM_OPTIONS_H
#define DMD_TOOL_DM_OPTIONS_H

#include "pub_tool_basics.h"

#include "engine/options.h"

typedef struct {
  Bool check_stacks;    /* unwind known stacks too, and compare */
  Bool direct_requests; /* answer frequent requests in translated code */
} dm_test_options_t;

extern dmd_options_t g_options;
extern dm_test_options_t g_test_options;

void dm_init_options(void);
Bool dm_process_option(const HChar *arg);

/* Ends with a message where an option of Valgrind's own asks for what dmd does not do. */
void dm_check_core_options(void);

void dm_print_usage(void);
void dm_print_debug_usage(void);

#endif
