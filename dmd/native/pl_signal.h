/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_signal.h: the signal that the engine uses while it accepts requests from outside.
 *
 * It is one of the last real-time signals, which no program uses by chance. dmdv sends it to
 * announce a request (pl_control.h), and a thread that stops the world sends it to the other
 * threads (pl_stop.h). The handler runs with all signals blocked.
 *
 * A program may block all signals, wait for all of them, or reset all handlers. The functions for
 * that are replaced: they leave this signal alone and report success. A program that installs a
 * handler for this very signal gets it, and the engine then stops accepting requests.
 *
 * A mapping with a fixed name in the process (record/engine/control.h) shows from outside that the
 * engine has the signal. Another process would ignore the signal or be killed by it.
 *
 * Concurrency: any thread, signal handlers too.
 */
#ifndef DMD_NATIVE_PL_SIGNAL_H
#define DMD_NATIVE_PL_SIGNAL_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

/* Called for each signal, with all signals blocked; the thread was interrupted at context. */
typedef void (*pl_signal_fn)(const siginfo_t *info, const ucontext_t *context);

/* Takes the signal if the program has no handler for it; called before there is a second thread. */
void pl_signal_start(pl_signal_fn answer);

/* Gives the signal up. */
void pl_signal_stop(void);

/* Whether the engine has the signal. */
bool pl_signal_is_ours(void);

/* As sigaction, for this signal while the engine has it. */
int pl_signal_action(const struct sigaction *action, struct sigaction *before);

#endif
