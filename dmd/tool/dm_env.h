/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_env.h: Valgrind as the host of the core: memory for the core itself, the engine, and stacks.
 *
 * Shell headers come after the Valgrind headers that they need, in Valgrind's manner: a shell .c
 * file includes what it uses of pub_tool_*.h, this header, then its own.
 */
#ifndef DMD_TOOL_DM_ENV_H
#define DMD_TOOL_DM_ENV_H

#include "pub_tool_basics.h"
#include "pub_tool_execontext.h"

#include "base/env.h"
#include "engine/engine.h"

/* Allocations through it show up under their cost centres with --profile-heap=yes. */
extern const dmd_env_t g_env;

/* All that is kept of the program. */
extern dmd_engine_t g_engine;

/* Initialises the engine, once the options are known. */
void dm_start_engine(void);

/* The stack with this id. */
ExeContext *dm_stack(UInt stack);

/* The stack of thread tid now. */
UInt dm_capture_stack(ThreadId tid);

#endif
