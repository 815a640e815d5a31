/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_control.h: answers requests that dmdv sends from outside the process.
 *
 * The engine adds no thread, open file or file name to the program. dmdv listens on a socket whose
 * name contains its process number and a secret number, and sends both with the engine's signal
 * (pl_signal.h). The handler, in some thread of the program, connects to that socket, reads the
 * request and answers it (record/engine/control.h); then the thread continues. Only the same user
 * can send the signal. The engine checks that the same user owns the socket, and dmdv checks that
 * the connecting process is the one that it signalled.
 *
 * The answer is made on a stack of ours (pl_altstack.h). It never waits for anything that the
 * thread may hold, such as the loader's lock or the allocator's. A thread inside the engine answers
 * when it leaves. It waits for the other process a few seconds at most, whatever that process does.
 *
 * Concurrency: any thread. Requests are answered one at a time, first come first served; the others
 * wait in an unbounded queue.
 */
#ifndef DMD_NATIVE_PL_CONTROL_H
#define DMD_NATIVE_PL_CONTROL_H

#include <signal.h>
#include <ucontext.h>

/* Handles the engine's signal, which interrupted the thread at context: a request, or a stop
 * (pl_stop.h). All signals are blocked. */
void pl_control_handle(const siginfo_t *info, const ucontext_t *context);

/* The thread, which is in the engine, makes the dump that is due (dmd_engine_dump_due) when it
 * leaves. */
struct pl_thread;
void pl_control_dump_due(struct pl_thread *thread);

/* In a fork's child: drops the parent's requests. */
void pl_control_forked(void);

#endif
