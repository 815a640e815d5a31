/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_registers.h: the registers of the program's threads, read where Valgrind keeps them.
 *
 * Valgrind's own functions copy registers one at a time, of a thread that they look up first. A
 * helper that is called from translated code gets the state of the thread that runs; it stays where
 * it is as long as the thread has its number, and is what it should be whenever the tool runs.
 */
#ifndef DMD_TOOL_DM_REGISTERS_H
#define DMD_TOOL_DM_REGISTERS_H

#include "pub_tool_basics.h"

typedef struct {
  Addr ip, sp, fp;
} dm_registers_t;

/* Which thread runs, whose state a helper got. */
ThreadId dm_running_thread(const void *guest);

/* Of any thread, now. The frame pointer is there on amd64 only. */
dm_registers_t dm_registers(ThreadId tid);

#endif
