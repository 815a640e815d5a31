/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_state.h: the engine's state: of the process, of each thread, and the events that a thread
 * could not record at once.
 *
 * A thread's state is in thread-local storage that the loader allocates with the thread
 * (initial-exec), so that access takes one instruction and allocates nothing.
 *
 * `inside` is true while the thread is in the engine (pl_enter.h). The engine never calls the
 * program's allocator, so an allocation made meanwhile comes from a signal handler that interrupted
 * the thread. The handler must not enter the engine, whose lock this thread may hold. The event is
 * queued as a note and recorded when the thread leaves the engine. A handler adds notes, perhaps
 * while the thread itself is reading the queue; the thread removes them. The thread's state has
 * room for some, and further ones go to mappings: a thread that waits for a lock may be interrupted
 * any number of times.
 *
 * Numbers are assigned as by Valgrind: the first thread is 1, and others get the smallest number
 * that no living thread has.
 *
 * Concurrency: each thread has its own state and notes; numbers are assigned under the engine lock.
 */
#ifndef DMD_NATIVE_PL_STATE_H
#define DMD_NATIVE_PL_STATE_H

#include "record/engine/engine.h"
#include "record/heap/fastpath.h"
#include "record/heap/sample.h"

#include "native/pl_entry.h"

#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

/* ---- The process ---- */

typedef enum {
  PL_NOT_STARTED, /* the loader is still at work; there is no environment yet */
  PL_STARTING,
  PL_WATCHING,
  PL_OFF /* recording is disabled: by the options, or because they are wrong */
} pl_state_t;

extern volatile pl_state_t g_state;
extern dmd_engine_t g_engine;
extern uint32_t g_start;            /* how often the engine has started in this process */
extern volatile bool g_is_complete; /* every block of the program is known */

/* ---- Notes ---- */

/* A function to call when the thread can record events again; it is inside, without a lock. */
typedef void (*pl_note_fn)(uint64_t argument);

/* A block was allocated, or freed, or a function is to be called. */
typedef enum { PL_NOTE_ALLOC, PL_NOTE_FREE, PL_NOTE_CALL } pl_note_kind_t;

typedef struct pl_note {
  pl_note_kind_t kind;
  uint64_t addr, req;
  pl_entry_t entry;
  pl_note_fn call;
  uint64_t argument;
} pl_note_t;

/* Few, since thread-local storage is scarce for a library that is loaded into a running program. */
enum { PL_NOTES_AT_HAND = 4 };

/* All zero at the start. */
typedef struct pl_notes {
  uint32_t n_added, n_taken;          /* total counts for the array, which is used as a ring */
  struct pl_notes_more *first, *last; /* notes that did not fit the array; NULL: none */
  pl_note_t at_hand[PL_NOTES_AT_HAND];
} pl_notes_t;

static inline bool pl_notes_any(const pl_notes_t *notes) {
  return __builtin_expect(
      ((notes->n_added ^ notes->n_taken) | (uintptr_t)(const void *)notes->first) != 0, 0);
}

/* Removes the oldest note. Returns false if the queue is empty. */
bool pl_notes_take(pl_notes_t *notes, pl_note_t *note);

/* ---- Threads ---- */

typedef struct pl_thread {
  uint32_t start;       /* the engine's start (g_start) in which the thread entered; 0: none */
  uint32_t number;      /* 0: none yet */
  uint32_t numbered;    /* the start in which it got that */
  volatile bool inside; /* read by signal handlers that interrupt the thread */
  pl_entry_t entry;
  uint32_t stack;                 /* the id of the entry's stack; 0: not captured yet */
  uint64_t interrupted_sp;        /* set with the stack: where a signal handler that the thread is
                                   * in interrupted it, as far as known; 0: none */
  uint64_t stack_low, stack_high; /* the thread's own stack, readable from any frame up to its end;
                                   * 0, 0: unknown */
  uint64_t roots_from;            /* what lies below it on that is not the program's; 0: unknown */
  struct pl_walker *walker;       /* of pl_stack.h */
  dmd_fastpath_t fastpath;        /* the thread's copy of some of the engine's state */
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

/* Queues an event of the allocator, or a call, for when the thread leaves the engine or next enters
 * it. If there is no memory for it, it is lost and the record incomplete. */
void pl_note(pl_thread_t *thread, const pl_note_t *what);
void pl_note_call(pl_thread_t *thread, pl_note_fn call, uint64_t argument);

/* ---- Numbers of threads (under the engine lock) ---- */

/* end: called by each thread that has a number, in the last round of its destructors of keys. Call
 * before there is a second thread. */
void pl_numbers_start(void (*end)(pl_thread_t *thread));

/* The engine starts again in this process: no thread has a number. */
void pl_numbers_restart(void);

/* Gives a number to a thread whose creation was not seen. */
void pl_number_assign(pl_thread_t *thread);

/* The number of a thread to be created, which calls pl_number_own when it has begun. Threads beyond
 * the limit share the last number. */
uint32_t pl_number_take(void);
void pl_number_own(pl_thread_t *thread, uint32_t number);
void pl_number_give_back(uint32_t number);

/* How many known threads there are. */
uint32_t pl_thread_count(void);

/* In a forked child: the other threads no longer exist. */
void pl_numbers_forked(const pl_thread_t *thread);

#endif
