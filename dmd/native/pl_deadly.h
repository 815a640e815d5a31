/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_deadly.h: writes the profile when a signal is about to end the program.
 *
 * Each signal that would end the program, because the program neither handles nor ignores it, gets
 * a handler of ours. The handler writes the profile, restores the default action and sends the
 * signal again with the same siginfo to the same thread. The exit status and the core file are thus
 * the program's alone.
 *
 * The program does not see these handlers. A query for one returns SIG_DFL, a handler of the
 * program's replaces ours, and setting SIG_DFL reinstalls ours. This needs no state: what the
 * kernel holds is translated on each call. exec resets handlers by itself, a signal that is ignored
 * when the program starts stays ignored, and blocked signals wait. (SA_RESETHAND restores the
 * default without us: a program that dies of such a signal writes no profile.)
 *
 * - A thread inside the engine, which may hold its lock, ends the program when it leaves. If the
 *   engine itself crashed, the program ends with a message and no profile.
 * - The first signal ends the program. Signals that arrive in any thread before it has ended have
 *   no effect.
 * - The other threads are stopped (pl_stop.h) and never continue. So a further deadly signal, or
 *   exit, waits for ever.
 * - Neither the loader nor the program's allocator is called: the thread may hold their locks.
 * - A crash while the profile is written ends the program at once.
 * - A child of vfork, and the first process of a PID namespace, which these signals do not end,
 *   behave as without us.
 *
 * Concurrency: any thread, signal handlers too.
 */
#ifndef DMD_NATIVE_PL_DEADLY_H
#define DMD_NATIVE_PL_DEADLY_H

#include <signal.h>

/* Installs the handlers; called before there is a second thread. */
void pl_deadly_start(void);

/* Removes the handlers: the engine leaves the process. */
void pl_deadly_stop(void);

/* In a fork's child: no signal is ending this process yet. */
void pl_deadly_forked(void);

#endif
