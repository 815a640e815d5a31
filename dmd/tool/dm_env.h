/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_env.h: Valgrind as the host of the core.
 *
 * Shell headers come after the Valgrind headers that they need, in Valgrind's manner: a shell .c
 * file includes what it uses of pub_tool_*.h, this header, then its own.
 */
#ifndef DMD_TOOL_DM_ENV_H
#define DMD_TOOL_DM_ENV_H

#include "pub_tool_basics.h"
#include "pub_tool_execontext.h"

#include "base/env.h"
#include "live/live.h"

/* Allocations through it show up under their cost centres with --profile-heap=yes. */
extern const dmd_env_t g_env;

/* All that is kept of the program; initialised once the options are known (dm_main.c). */
extern dmd_live_t g_live;

/* The id of g_live.stacks for a stack that Valgrind has. */
UInt dm_note_stack(ExeContext *ec);

/* The stack of thread tid now, as an id of g_live.stacks. */
UInt dm_capture_stack(ThreadId tid);

/* Prints the stack with this id to the log. */
void dm_print_stack(UInt stack);

#endif
