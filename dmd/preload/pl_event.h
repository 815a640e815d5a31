/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_event.h: the way into the engine and out of it: its lock, and what is told it.
 *
 * A thread enters, which captures its stack where the event wants one and then takes the engine
 * lock; does what it has to do; and leaves. In between it must not call anything of the program's:
 * not its allocator, nor what takes the loader's lock. Most allocations, frees and reallocs are
 * told without the engine lock (engine/observed.h), and with it only if that cannot be.
 *
 * A signal handler that interrupts a thread in the engine cannot enter, nor can anybody before the
 * engine is there. What is allocated and freed then is noted down in the thread's state, and told,
 * in its order, when the thread leaves or enters. In the meantime another thread may have got or
 * freed memory with the same address, and there may be more than there is room for: then it is
 * known that not all is known (g_is_complete), and nothing is said of a free of an unknown block.
 *
 * With --sample-interval few blocks are told: which, each thread decides for itself
 * (live/countdown.h), when it allocates or, of a note, when that is told. Of what is freed,
 * reallocated or measured is then seen first whether it may be one of them (live/marks.h). A block
 * that is no such one may be anything: nothing is said of it.
 *
 * Concurrency: any thread. The engine lock comes before those of parts of the blocks
 * (live/blocks.h), and these before those of stacks (pl_stack.h) and memory (pl_memory.h); none of
 * pl_objects.h is taken within it.
 */
#ifndef DMD_PRELOAD_PL_EVENT_H
#define DMD_PRELOAD_PL_EVENT_H

#include "engine/engine.h"
#include "preload/pl_thread.h"

typedef enum {
  PL_NOT_STARTED, /* the loader is at work, and has no environment yet */
  PL_STARTING,
  PL_WATCHING,
  PL_OFF /* nothing is watched: the options say so, or are wrong */
} pl_state_t;

extern volatile pl_state_t g_state;
extern dmd_engine_t g_engine;
extern volatile bool g_is_complete; /* all blocks of the program are known */

/* Enters. False where that cannot be, see above: nothing is to be left then. entry may be NULL: of
 * what is no event. */
bool pl_enter(pl_thread_t *thread, const pl_entry_t *entry, bool wants_stack);
void pl_leave(pl_thread_t *thread);

/* The same after what changed no scope of any thread: what the thread has of the engine's state is
 * as good as it was. */
void pl_leave_same(pl_thread_t *thread);

/* The same without the engine: what the thread allocates meanwhile is noted. False where the thread
 * is inside already: nothing is to be undone then. */
bool pl_hide(pl_thread_t *thread);
bool pl_hide_at(pl_thread_t *thread, const pl_entry_t *entry); /* for an event there */
void pl_unhide(pl_thread_t *thread);

/* Of a thread that is inside in this way: the engine lock. */
void pl_lock_inside(void);
void pl_unlock_inside(pl_thread_t *thread);

/* In a signal handler, where the thread cannot enter: there is a request (pl_control.h), which is
 * answered when it leaves. */
void pl_note_request(pl_thread_t *thread);

/* The same: the thread is to stop (pl_stop.h), which it does when it leaves. */
void pl_note_stop(pl_thread_t *thread);

/* The same: this signal ends the program (pl_deadly.h). */
void pl_note_end(pl_thread_t *thread, int number);

/* ---- What the program's allocator does. ---- */

/* It gave out a block, that dmd_countdown_passes did not pass over. */
void pl_tell_alloc(const pl_entry_t *entry, void *p, size_t req);

/* It had none of this size. */
void pl_tell_failure(const pl_entry_t *entry, size_t req);

/* It is asked how large a block is. */
void pl_tell_asked(const pl_entry_t *entry, void *p);

/* Whether a block at addr is none that was told, with --sample-interval, without a lock. What a
 * handler noted may not have been told yet. */
static inline bool pl_is_passed_over(const pl_thread_t *thread, uint64_t addr) {
  return dmd_live_passed_over(&g_engine.live, addr) && !thread->inside;
}

/* It is about to be given one back. False: it must not be, since there is no such block. The
 * program is spared what its allocator would make of that, as it is under Valgrind. */
bool pl_tell_free(const pl_entry_t *entry, void *p);

/* A realloc: begin before it, then end, with what it answered; NULL: it failed, and req bytes were
 * wanted. What is told in between is this thread's. */
typedef struct pl_moving {
  dmd_block_t *block; /* that is reallocated; NULL: there is no such block */
  uint64_t addr;
  uint32_t stack;
} pl_moving_t;

bool pl_tell_realloc_begin(const pl_entry_t *entry, void *p, size_t req, pl_moving_t *moving);
void pl_tell_realloc_end(const pl_entry_t *entry, const pl_moving_t *moving, void *p, size_t req);

/* ---- In a fork. ---- */

void pl_event_fork_begin(void);
void pl_event_fork_end(bool is_child);

#endif
