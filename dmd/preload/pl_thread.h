/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_thread.h: what is known of each thread.
 *
 * It lies in thread-local storage that the loader makes with the thread (initial-exec), so that to
 * get at it takes one instruction and allocates nothing.
 *
 * `inside` says that the thread is in the engine. Whatever allocates meanwhile is a signal handler
 * that interrupted it: the engine itself takes nothing from the program's allocator. That must not
 * enter the engine, whose lock this thread may hold; it is noted down, and told when the engine is
 * left (pl_event.h).
 *
 * Numbers are as Valgrind gives them: the first thread is 1, others get the smallest number that no
 * living thread has. A thread that something else than pthread_create made gets one at its first
 * event, and so do those that were there before us.
 *
 * Concurrency: each thread has its own; numbers are given out under the engine lock.
 */
#ifndef DMD_PRELOAD_PL_THREAD_H
#define DMD_PRELOAD_PL_THREAD_H

#include "live/countdown.h"
#include "live/quick.h"

#include "preload/pl_notes.h"

#include <ucontext.h>

typedef struct pl_thread {
  uint32_t number;      /* 0: none yet */
  volatile bool inside; /* read by signal handlers that interrupt the thread */
  pl_entry_t entry;
  uint32_t stack;                 /* of the entry, once pl_stack_capture was asked; 0: not yet */
  uint64_t interrupted_sp;        /* with the stack: of what a signal handler interrupted that the
                                     thread is in, as far as that shows; 0: none */
  uint64_t stack_low, stack_high; /* its own stack, of which all above a frame can be read; 0, 0:
                                     unknown */
  struct pl_walker *walker;       /* of pl_stack.h */
  dmd_quick_t quick;              /* what of the engine's state is this thread's */
  dmd_countdown_t countdown;      /* to the next block that is kept, with --sample-interval */
  int *errno_at;                  /* the thread's errno; NULL: no event of it came yet */
  int saved_errno;
  const ucontext_t *interrupted; /* where the program was, while a handler of ours works; NULL */
  void *altstack;      /* on which the kernel calls handlers of ours; NULL: on the thread's */
  uint32_t stopped_at; /* the last moment (pl_stop.h) that it answered */
  pl_notes_t notes;    /* what happened while the thread was in the engine */
} pl_thread_t;

extern _Thread_local pl_thread_t g_thread __attribute__((tls_model("initial-exec")));

static inline pl_thread_t *pl_thread(void) {
  return &g_thread;
}

/* The first thread is this one. Call once, before there is a second one. */
void pl_thread_start(void);

/* Gives a thread a number that nobody told us of, under the engine lock. */
void pl_thread_number(pl_thread_t *thread);

/* How many there are that are known. */
uint32_t pl_thread_count(void);

/* In a forked child, under the engine lock: the other threads are gone. */
void pl_thread_forked(const pl_thread_t *thread);

#endif
