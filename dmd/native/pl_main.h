/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_main.h: starts and ends the engine in a program's process.
 *
 * Concurrency: pl_start is called before there is a second thread; the others by any thread.
 */
#ifndef DMD_NATIVE_PL_MAIN_H
#define DMD_NATIVE_PL_MAIN_H

#include "native/pl_entry.h"

#include <stdbool.h>
#include <sys/types.h>

/* Starts the engine if it has not started yet and can start by now. */
void pl_start(void);

/* The process that the engine runs in. */
extern pid_t pl_main_pid;

/* Whether the engine belongs to this process, rather than to the parent of a vfork. */
bool pl_main_is_ours(void);

/* Writes the final profile of a program that ends here. Works on any stack. */
void pl_main_finish(const pl_entry_t *entry);

/* Writes the final profile of a program that a signal is about to end. The thread is inside, with
 * all signals blocked. If another thread is already writing it and ending the program, this call
 * never returns. */
void pl_main_end(void);

/* Ends all recording, since the engine has run out of memory (pl_memory.h), and writes the final
 * profile with the heap as it is now. The program continues without the engine. The thread is
 * inside, without a lock. */
void pl_main_stop_recording(void);

/* Ends all recording for a thread that holds the engine lock and whose dump ran out of memory.
 * Writes nothing more, and keeps the lock. */
void pl_main_give_up_recording(void);

#endif
