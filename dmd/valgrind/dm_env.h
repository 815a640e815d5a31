/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_env.h: Valgrind as the core's host: memory for the core itself, the engine, ids of stacks, and
 * registers.
 *
 * As is usual in Valgrind, shell headers do not include the Valgrind headers that they need. A
 * shell .c file includes the pub_tool_*.h that it uses, then this header, then its own.
 */
#ifndef DMD_VALGRIND_DM_ENV_H
#define DMD_VALGRIND_DM_ENV_H

#include "pub_tool_basics.h"
#include "pub_tool_execontext.h"

#include "base/env.h"
#include "record/engine/engine.h"

/* With --profile-heap=yes its allocations are listed by cost centre. */
extern const dmd_env_t g_env;

/* The engine, which holds everything that is known of the program. */
extern dmd_engine_t g_engine;

/* Call before the first stack. */
void dm_env_init(void);

/* The id of one of Valgrind's stacks, and the stack with an id. */
UInt dm_note_stack(ExeContext *ec);
ExeContext *dm_stack(UInt stack);

/*--- Registers of the program's threads, read directly from their guest state ---*/

/* Valgrind's own functions look up the thread and copy one register per call. A helper called from
 * translated code gets the running thread's guest state. That stays at its address as long as the
 * thread has its number, and is up to date whenever the tool runs. */
typedef struct {
  Addr ip, sp, fp;
} dm_registers_t;

/* The running thread, given the guest state that a helper got. */
ThreadId dm_running_thread(const void *guest);

/* The current registers of any thread. On x86 there is no frame pointer. */
dm_registers_t dm_registers(ThreadId tid);

#endif
