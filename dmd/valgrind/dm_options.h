/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_options.h: the tool's command-line options: the engine's (record/engine/options.h), and a few
 * of its own.
 *
 * Valgrind calls dm_process_option for each argument. It ends Valgrind with its usual bad-option
 * message if a value is wrong.
 */
#ifndef DMD_VALGRIND_DM_OPTIONS_H
#define DMD_VALGRIND_DM_OPTIONS_H

#include "pub_tool_basics.h"

#include "record/engine/options.h"

typedef struct {
  Bool check_stacks;    /* also unwind cached stacks, and compare */
  Bool direct_requests; /* answer frequent requests in translated code */
} dm_test_options_t;

extern dmd_options_t g_options;
extern dm_test_options_t g_test_options;

void dm_init_options(void);
Bool dm_process_option(const HChar *arg);

/* Ends with a message if an option of Valgrind's own requests something that dmd does not
 * support. */
void dm_check_core_options(void);

void dm_print_usage(void);
void dm_print_debug_usage(void);

#endif
