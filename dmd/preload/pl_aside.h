/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_aside.h: a function that runs on a stack of ours.
 *
 * The thread's own may be a small one, or full: a coroutine's, or that of a signal handler.
 *
 * Concurrency: each thread by itself. The thread is inside (pl_thread.h), and holds no lock; all
 * signals are blocked.
 */
#ifndef DMD_PRELOAD_PL_ASIDE_H
#define DMD_PRELOAD_PL_ASIDE_H

/* Comes back when the function has. Where a thread was before it was interrupted is known to it; of
 * one that was not, it is here (pl_thread_t.interrupted). */
void pl_aside_run(void (*what)(void));

#endif
