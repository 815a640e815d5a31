/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_thread.h: the engine's state for each thread.
 *
 * It is in thread-local storage that the loader allocates with the thread (initial-exec), so that
 * access takes one instruction and allocates nothing.
 *
 * `inside` is true while the thread is in the engine. The engine never calls the program's
 * allocator, so an allocation made meanwhile comes from a signal handler that interrupted the
 * thread. The handler must not enter the engine, whose lock this thread may hold. The event is
 * queued as a note and recorded when the thread leaves the engine (pl_event.h).
 *
 * Numbers are assigned as by Valgrind: the first thread is 1, and others get the smallest number
 * that no living thread has. A thread that was not created through pthread_create, or that existed
 * before the engine, gets its number at its first event.
 *
 * Concurrency: each thread has its own; numbers are assigned under the engine lock.
 */
#ifndef DMD_NATIVE_PL_THREAD_H
#define DMD_NATIVE_PL_THREAD_H

#include "record/heap/countdown.h"
#include "record/heap/fastpath.h"

#include "native/pl_notes.h"

#include <ucontext.h>

typedef struct pl_thread {
  uint32_t number;      /* 0: none yet */
  volatile bool inside; /* read by signal handlers that interrupt the thread */
  pl_entry_t entry;
  uint32_t stack;                 /* the id of the entry's stack; 0: not captured yet */
  uint64_t interrupted_sp;        /* set with the stack: where a signal handler that the thread is
                                   * in interrupted it, as far as known; 0: none */
  uint64_t stack_low, stack_high; /* the thread's own stack, readable from any frame up to its end;
                                   * 0, 0: unknown */
  struct pl_walker *walker;       /* of pl_stack.h */
  dmd_fastpath_t quick;           /* the thread's copy of some of the engine's state */
  dmd_countdown_t countdown;      /* to the next sampled block, with --sample-interval */
  int *errno_at;                  /* the thread's errno; NULL: no event yet */
  int saved_errno;
  const ucontext_t *interrupted; /* where the program was, while a handler of ours runs; NULL */
  void *way_out;                 /* a jmp_buf to leave pl_memory_try; NULL: not in it */
  void *altstack;                /* for our signal handlers; NULL: the thread's own stack */
  uint32_t stopped_at;           /* the last moment (pl_stop.h) that it answered */
  pl_notes_t notes;              /* events that happened inside the engine */
} pl_thread_t;

extern _Thread_local pl_thread_t g_thread __attribute__((tls_model("initial-exec")));

static inline pl_thread_t *pl_thread(void) {
  return &g_thread;
}

/* Makes the calling thread the first one. Call once, before there is a second thread. */
void pl_thread_start(void);

/* Gives a number to a thread whose creation was not seen. Call under the engine lock. */
void pl_thread_number(pl_thread_t *thread);

/* How many known threads there are. */
uint32_t pl_thread_count(void);

/* In a forked child, under the engine lock: the other threads no longer exist. */
void pl_thread_forked(const pl_thread_t *thread);

#endif
