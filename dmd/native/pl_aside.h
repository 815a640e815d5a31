/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_aside.h: runs a function on a separate stack.
 *
 * The thread's own stack, such as a coroutine's or a signal handler's, may be small or full.
 *
 * Concurrency: each thread by itself. The thread is inside (pl_thread.h) and holds no lock; all
 * signals are blocked.
 */
#ifndef DMD_NATIVE_PL_ASIDE_H
#define DMD_NATIVE_PL_ASIDE_H

/* Returns when the function has returned. Meanwhile, if no signal interrupted the thread,
 * pl_thread_t.interrupted is the place of this call. */
void pl_aside_run(void (*what)(void));

#endif
