/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_signal.h: the signal that belongs to the engine while it can be asked from outside.
 *
 * It is one of the last of the real-time signals, which no program gets by chance. With it dmdv
 * says that it has a request (pl_control.h), and the thread that has the world stop tells the
 * others to (pl_stop.h). What the handler does it does with all signals blocked.
 *
 * A program may block all signals, wait for all, or set the handlers of all back. The functions
 * with which it does are replaced: they leave this signal alone, and say as always that all is
 * well. A program that has a use for this very signal gets it, and can be asked no more.
 *
 * Outside it can be seen that the engine has it: there is a mapping of this name in the
 * process (engine/control.h). To anybody else the signal would be sent in vain, or the end of a
 * process.
 *
 * Concurrency: any thread, signal handlers too.
 */
#ifndef DMD_PRELOAD_PL_SIGNAL_H
#define DMD_PRELOAD_PL_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

/* Takes the signal, if nobody has it; before there is a second thread. */
void pl_signal_start(void);

/* Gives it up. */
void pl_signal_stop(void);

/* Whether we have it. */
bool pl_signal_is_ours(void);

/* All signals, ours too, are blocked until restored: whatever is replaced. */
sigset_t pl_signal_block_all(void);
void pl_signal_restore(const sigset_t *before);

#endif
