/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_stop.h: stops the program's other threads for a while, so that its memory is read at one
 * moment.
 *
 * Each thread that the kernel lists gets the engine's signal (pl_signal.h). Its handler saves the
 * thread's registers and waits. New threads may appear meanwhile, so the list is read again until
 * every thread in it has answered.
 *
 * A thread inside the engine must not be stopped there, since it may hold a lock that the stopping
 * thread needs. Until it leaves it touches nothing of the program's, because the stopping thread
 * holds the engine lock and those of all blocks. So it saves its registers, goes on, and waits when
 * it is about to leave.
 *
 * A thread that does not answer within a second is missing from the list of stopped threads. It may
 * have blocked the signal in a way that is not intercepted, or be in an uninterruptible wait, like
 * the parent of a vfork. It may change memory meanwhile; its registers are unknown, and its stack
 * is treated as ordinary memory.
 *
 * Concurrency: one thread stops the others, and holds the engine lock and those of all blocks until
 * it lets them continue. Meanwhile it must not wait for anything of the program's, which a stopped
 * thread may hold.
 */
#ifndef DMD_NATIVE_PL_STOP_H
#define DMD_NATIVE_PL_STOP_H

#include "native/pl_machine.h"
#include "native/pl_state.h"

typedef struct pl_stopped {
  const pl_thread_t *thread;
  uint64_t thread_pointer;
  pl_context_t at;
  int tid;
} pl_stopped_t;

/* Stops the other threads, and lets them continue. The calling thread counts as stopped where it
 * was interrupted, or else where it is now. */
void pl_stop_others(void);
void pl_stop_end(void);

/* Likewise, but they never continue: the process is about to end. */
void pl_stop_for_good(void);

/* Cleans up after a dump that stopped them and failed. */
void pl_stop_abandon(void);

/* The stopped threads, from 0 to the count less one, and how many threads did not answer. NULL:
 * this one answered too late. */
uint32_t pl_stop_count(void);
const pl_stopped_t *pl_stop_at(uint32_t i);
uint32_t pl_stop_n_missing(void);

/* For the signal's handler: the thread was interrupted at context. Stops it if a stop is under
 * way. */
void pl_stop_answer(const ucontext_t *context);

/* From begin to end, the calling thread counts as stopped at context. It has all signals blocked,
 * and touches nothing of the program's except with the engine lock held. One thread at a time. */
void pl_stop_stand_by(const ucontext_t *context);
void pl_stop_stand_by_end(void);

/* In a fork's child: no thread is stopped. */
void pl_stop_forked(void);

#endif
