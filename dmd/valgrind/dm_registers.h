/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_registers.h: reads the registers of the program's threads directly from their guest state.
 *
 * Valgrind's own functions look up the thread and copy one register per call. A helper called from
 * translated code gets the running thread's guest state. That stays at its address as long as the
 * thread has its number, and is up to date whenever the tool runs.
 */
#ifndef DMD_VALGRIND_DM_REGISTERS_H
#define DMD_VALGRIND_DM_REGISTERS_H

#include "pub_tool_basics.h"

typedef struct {
  Addr ip, sp, fp;
} dm_registers_t;

/* The running thread, given the guest state that a helper got. */
ThreadId dm_running_thread(const void *guest);

/* The current registers of any thread. The frame pointer is available on amd64 only. */
dm_registers_t dm_registers(ThreadId tid);

#endif
