/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_altstack.h: the stack on which the kernel calls a handler of ours, if the thread's own is
 * full.
 *
 * A thread that used up its stack has none for a handler, and would end without a profile. So each
 * thread that has none of its own gets an alternate stack of ours (sigaltstack). The program does
 * not see it: sigaltstack is replaced, and says that there is none; a thread that sets one has
 * that, and ours again when it sets it back. One that ended leaves its stack to the next one that
 * begins.
 *
 * Only what the kernel writes, and the first steps of a handler, need room on it: the rest is done
 * elsewhere (pl_aside.h). But a handler of the program's that asks for an alternate stack where the
 * program has none runs on it, too; so there is more. Pages that nobody touches are not there.
 *
 * Concurrency: each thread has its own; the lock, of those that nobody has, is one of the last.
 */
#ifndef DMD_PRELOAD_PL_ALTSTACK_H
#define DMD_PRELOAD_PL_ALTSTACK_H

#include "preload/pl_thread.h"

/* From now on threads get one; the calling thread does, too. */
void pl_altstack_start(void);

/* At the begin and at the end of a thread, which is inside. */
void pl_altstack_begin_thread(pl_thread_t *thread);
void pl_altstack_end_thread(pl_thread_t *thread);

/* In a fork. */
void pl_altstack_fork_begin(void);
void pl_altstack_fork_end(void);

#endif
