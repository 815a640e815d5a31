/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_stop.h: the program's other threads stop for a while, so that its memory is of one moment.
 *
 * Each thread that the kernel lists gets the engine's signal (pl_signal.h). Its handler writes down
 * what the thread has in its registers, and waits. New threads may appear meanwhile, so the list is
 * read again until it has nobody who has not answered.
 *
 * A thread that is in the engine must not be stopped there: it may have one of the locks that who
 * stops it needs. It touches nothing of the program's until it leaves, for who stops the others
 * holds the engine lock and those of all blocks; so it writes its registers down, goes on, and
 * waits where it would leave.
 *
 * Who does not answer within a second (it has the signal blocked by a way that is not replaced, or
 * waits in the kernel where no signal reaches it, as the parent of a vfork does) is missing from
 * the list of those that stopped. It may change memory; what it has in hand is not known, and its
 * stack is memory as any other.
 *
 * Concurrency: one thread stops the others, with the engine lock and those of all blocks taken,
 * until it lets them go on. It must not wait for anything of the program's meanwhile: whoever has
 * it may be stopped.
 */
#ifndef DMD_PRELOAD_PL_STOP_H
#define DMD_PRELOAD_PL_STOP_H

#include "preload/pl_context.h"
#include "preload/pl_thread.h"

typedef struct pl_stopped {
  const pl_thread_t *thread;
  uint64_t thread_pointer;
  pl_context_t at;
  int tid;
} pl_stopped_t;

/* The calling thread is one of those that stopped: where it was interrupted, or is now. */
void pl_stop_others(void);
void pl_stop_end(void);

/* The same, and they never go on: the process is about to end. */
void pl_stop_for_good(void);

/* Those that stopped, from 0 to the number that there are, NULL: this one is late; and how many did
 * not answer. */
uint32_t pl_stop_count(void);
const pl_stopped_t *pl_stop_at(uint32_t i);
uint32_t pl_stop_n_missing(void);

/* In the handler of the signal: somebody may want the thread to stop, which was interrupted here.
 */
void pl_stop_answer(const ucontext_t *context);

/* A thread that was told to stop in the engine is about to leave it. */
void pl_stop_wait(void);

/* A thread that has all signals blocked, and touches nothing of the program's but with the engine
 * lock taken, is stopped as it is: from begin to end. One thread at a time. */
void pl_stop_stand_by(const ucontext_t *context);
void pl_stop_stand_by_end(void);

/* In a fork's child: nobody is stopped. */
void pl_stop_forked(void);

#endif
