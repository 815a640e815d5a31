/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_end.h: ends the engine in a program's process.
 *
 * Concurrency: any thread.
 */
#ifndef DMD_NATIVE_PL_END_H
#define DMD_NATIVE_PL_END_H

#include "base/strbuf.h"
#include "native/pl_entry.h"

#include <stdbool.h>
#include <sys/types.h>

/* The process that the engine runs in. */
extern pid_t g_engine_pid;

/* Whether the engine belongs to this process, rather than to the parent of a vfork. */
bool pl_end_is_ours(void);

/* Registers the handlers of exit and quick_exit. Exit handlers run in reverse order, so the first
 * one registered runs last, after the destructors of all libraries. This one precedes even the
 * loader's own, which is registered when the program's code starts. Returns false if there is no
 * memory for it. */
bool pl_end_register(void);

/* Writes the final profile of a program that ends here. Works on any stack. */
void pl_end_finish(const pl_entry_t *entry);

/* Writes the final profile of a program that a signal is about to end. The thread is inside, with
 * all signals blocked. If another thread is already writing it and ending the program, this call
 * never returns. */
void pl_end_by_signal(void);

/* Ends all recording, since the engine has run out of memory (pl_memory.h), and writes the final
 * profile with the heap as it is now. The program continues without the engine. The thread is
 * inside, without a lock. */
void pl_end_recording(uint64_t unused);

/* Ends all recording, and appends the name of the final profile to an empty buffer, which stays
 * empty without one. When this returns, no thread is in the engine. */
void pl_end_detach(dmd_strbuf_t *name);

/* Ends all recording for a thread that holds the engine lock and whose dump ran out of memory.
 * Writes nothing more, and keeps the lock. */
void pl_end_give_up(void);

/* In a fork's child, or when the engine starts again: nothing is ending this process yet. */
void pl_end_forked(void);

#endif
