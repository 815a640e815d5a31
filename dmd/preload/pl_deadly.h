/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_deadly.h: signals that end the program: what it has then is written first.
 *
 * Where a signal would end the program, since nobody handles or ignores it, it has a handler of
 * ours. It writes the profile, sets the signal back to its default, and sends it again, as it came,
 * to where it came: the exit status, a core file and what is in it are those of the program alone.
 *
 * The program does not see it. Whoever asks for the handler is told that there is none, a handler
 * of the program's takes the place of ours, and where the program sets the default back ours is
 * there again. Nothing is kept for that: what the kernel has is translated. exec sets handlers back
 * by itself, a signal that is ignored when the program starts stays so, and blocked signals wait.
 * (SA_RESETHAND sets the default back without us: who dies of that writes no profile.)
 *
 * - A thread in the engine, which may have its lock, ends the program when it leaves. That cannot
 * be if it is the engine itself that crashed: then the program ends with a message and no profile.
 * - The first signal is the one that ends the program: others that come before it has ended, to any
 *   thread, change nothing.
 * - The other threads stop (pl_stop.h), and never go on: without us they would be gone. So another
 *   deadly signal, or exit, waits for ever.
 * - The loader is not asked, nor the program's allocator, whose locks the thread may hold.
 * - What crashes while the profile is written ends the program at once.
 * - A child of vfork, and the first process of a namespace, which such signals do not end, do as
 *   they do without us.
 *
 * Concurrency: any thread, signal handlers too.
 */
#ifndef DMD_PRELOAD_PL_DEADLY_H
#define DMD_PRELOAD_PL_DEADLY_H

#include <signal.h>

/* Takes the signals; before there is a second thread. */
void pl_deadly_start(void);

/* As sigaction, of any signal but the engine's own. */
int pl_deadly_action(int number, const struct sigaction *action, struct sigaction *before);

/* A handler that the kernel had, as the program is to see it. */
__sighandler_t pl_deadly_shown(__sighandler_t handler);

/* The thread leaves the engine, after it got this signal there: it is inside, without a lock. */
void pl_deadly_serve(int number);

/* In a fork's child: no signal ends this one yet. */
void pl_deadly_forked(void);

#endif
