/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_control.h: what dmdv asks of the engine from outside of its process.
 *
 * There is no thread of ours in the program, no open file and no name in the file system. dmdv
 * listens on a socket whose name has its process number and a number that nobody else knows, and
 * sends both with the engine's signal (pl_signal.h). Its handler, in some thread of the program,
 * connects to that socket, reads the request, has it answered (engine/control.h), and the thread
 * goes on with what it did. A signal may be sent by the same user only; that the socket is the same
 * user's, too, is looked up here, and that who connects is the process that was asked, in dmdv.
 *
 * The answer is made on a stack of ours (pl_aside.h). It never waits for anything that the thread
 * may hold: not for the loader, nor for the program's allocator. A thread that is in the engine
 * answers when it leaves it. For another process it waits some seconds at most, whatever that does.
 *
 * Concurrency: any thread; requests are answered one at a time.
 */
#ifndef DMD_PRELOAD_PL_CONTROL_H
#define DMD_PRELOAD_PL_CONTROL_H

#include <stdint.h>
#include <ucontext.h>

/* In a signal handler, with all signals blocked, which interrupted the thread here: there is a
 * request at the socket that process pid called so with this number. */
void pl_control_ask(uint32_t pid, uint32_t number, const ucontext_t *context);

/* Answers what is there to be answered. The thread is inside (pl_thread.h), and holds no lock. */
void pl_control_serve(void);

/* The process is a fork's child: nobody asked it. */
void pl_control_forked(void);

#endif
