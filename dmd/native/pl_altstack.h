/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_altstack.h: stacks of ours: alternate signal stacks, on which the kernel calls our handlers
 * when a thread's own stack is full, and one on which a function runs aside.
 *
 * A thread that has overflowed its stack has no room for a handler, and would end without a
 * profile. So each thread without an alternate stack gets one of ours (sigaltstack). The program
 * does not see it: the replaced sigaltstack reports that no alternate stack is set. A thread that
 * sets its own uses that, and gets ours back when it disables it. The stack of a thread that ended
 * is reused for the next new thread.
 *
 * Our handlers need room there only for what the kernel writes and their first steps; the rest runs
 * elsewhere (pl_aside_run). But a handler of the program's with SA_ONSTACK runs on it too if the
 * program has set no alternate stack, so it is larger. Untouched pages take no memory.
 *
 * Concurrency: each thread has its own stack. The lock of the free list is one of the last in the
 * lock order.
 */
#ifndef DMD_NATIVE_PL_ALTSTACK_H
#define DMD_NATIVE_PL_ALTSTACK_H

#include "native/pl_state.h"

/* From now on every new thread gets one, and the calling thread gets one now. */
void pl_altstack_start(void);

/* When a thread begins and ends. The thread is inside. */
void pl_altstack_begin_thread(pl_thread_t *thread);
void pl_altstack_end_thread(pl_thread_t *thread);

/* Around fork. */
void pl_altstack_fork_begin(void);
void pl_altstack_fork_end(void);

/* Runs a function on a separate stack, and returns when it has returned. The thread's own stack,
 * such as a coroutine's or a signal handler's, may be small or full. The thread is inside
 * (pl_state.h) and holds no lock; all signals are blocked. Meanwhile, if no signal interrupted the
 * thread, pl_thread_t.interrupted is the place of this call. */
void pl_aside_run(void (*what)(void));

#endif
