/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_event.h: how a thread enters and leaves the engine, the engine lock, and the events of the
 * program's allocator.
 *
 * A thread enters the engine, does its work and leaves. Entering captures the thread's stack if the
 * event needs one, and takes the engine lock. While inside, the thread must not call into the
 * program: neither its allocator nor anything that takes the loader's lock. Most allocations, frees
 * and reallocs take a fast path without the engine lock (record/engine/observed.h); the lock is
 * taken only if that is impossible.
 *
 * A signal handler that interrupts a thread inside the engine cannot enter, and no thread can
 * before the engine has started. Allocations and frees made then are queued as notes in the
 * thread's state, and recorded in order when the thread next leaves or enters. Until then another
 * thread may free or reuse the same address, and a note is lost if there is no memory for it.
 * Either makes the record incomplete (g_is_complete), and frees of unknown blocks are no longer
 * reported as errors.
 *
 * With --sample-interval only some blocks are recorded. Each thread decides which
 * (record/heap/countdown.h), when it allocates or when it processes a note. For each free, realloc
 * or size query, a Bloom filter (record/heap/bloom.h) tells whether the block may have been
 * sampled. Any other address may belong to an unsampled block, so it is never reported as an error.
 *
 * Concurrency: any thread. Lock order: the engine lock, then the locks of the block shards
 * (record/heap/blocks.h), then those of stacks (pl_stack.h) and memory (pl_memory.h). The locks of
 * pl_objects.h must not be taken while the engine lock is held.
 */
#ifndef DMD_NATIVE_PL_EVENT_H
#define DMD_NATIVE_PL_EVENT_H

#include "native/pl_thread.h"
#include "record/engine/engine.h"

typedef enum {
  PL_NOT_STARTED, /* the loader is still at work; there is no environment yet */
  PL_STARTING,
  PL_WATCHING,
  PL_OFF /* recording is disabled: by the options, or because they are wrong */
} pl_state_t;

extern volatile pl_state_t g_state;
extern dmd_engine_t g_engine;
extern volatile bool g_is_complete; /* every block of the program is known */

/* Enters the engine. Returns false where that is impossible (see above); the caller must not leave
 * then. entry is NULL if the call is not an event of the program. */
bool pl_enter(pl_thread_t *thread, const pl_entry_t *entry, bool wants_stack);
void pl_leave(pl_thread_t *thread);

/* Leaves after an event that changed no thread's scopes: the thread's copy of the engine's state is
 * still valid. */
void pl_leave_same(pl_thread_t *thread);

/* Marks the thread as inside without taking the engine lock: its allocations are queued as notes
 * meanwhile. Returns false if the thread was inside already; the caller must not unhide then. */
bool pl_hide(pl_thread_t *thread);
bool pl_hide_at(pl_thread_t *thread, const pl_entry_t *entry); /* at this entry */
void pl_unhide(pl_thread_t *thread);

/* The engine lock, for a thread that is hidden in this way. */
void pl_lock_inside(void);
void pl_unlock_inside(pl_thread_t *thread);

/* For a signal handler whose thread cannot enter: queues a request (pl_control.h), which is
 * answered when the thread leaves the engine. */
void pl_note_request(pl_thread_t *thread);

/* Likewise: the thread stops (pl_stop.h) when it leaves. */
void pl_note_stop(pl_thread_t *thread);

/* Likewise: this signal ends the program (pl_deadly.h). */
void pl_note_end(pl_thread_t *thread, int number);

/* Within the engine: memory has run out, except for the reserve that serves this event
 * (pl_memory.h). */
void pl_note_shortage(pl_thread_t *thread);

/* ---- Events of the program's allocator. ---- */

/* The allocator returned a block that dmd_countdown_passes did not skip. */
void pl_tell_alloc(const pl_entry_t *entry, void *p, size_t req);

/* The allocator returned NULL for this size. Reports the size if it is absurd. */
void pl_tell_failure(const pl_entry_t *entry, size_t req);

/* The program is about to query the block's usable size. */
void pl_tell_asked(const pl_entry_t *entry, void *p);

/* Whether, with --sample-interval, the block at addr was not sampled. Takes no lock. False inside
 * the engine, since a handler's notes may not have been processed yet. */
static inline bool pl_is_passed_over(const pl_thread_t *thread, uint64_t addr) {
  return dmd_live_passed_over(&g_engine.live, addr) && !thread->inside;
}

/* The program is about to free p. Returns false if no block is known there: the caller must then
 * not free it, which spares the program its allocator's reaction, as under Valgrind. */
bool pl_tell_free(const pl_entry_t *entry, void *p);

/* A realloc: call begin before it, and end after it with its result, NULL if it failed for req
 * bytes. If begin returns false, no block is known there and the caller must not reallocate it.
 * begin fills in moving for end. The thread may record other events in between. */
typedef struct pl_moving {
  dmd_block_t *block; /* the block to reallocate; NULL: unknown address */
  uint64_t addr;
  uint32_t stack;
} pl_moving_t;

bool pl_tell_realloc_begin(const pl_entry_t *entry, void *p, size_t req, pl_moving_t *moving);
void pl_tell_realloc_end(const pl_entry_t *entry, const pl_moving_t *moving, void *p, size_t req);

/* ---- fork ---- */

void pl_event_fork_begin(void);
void pl_event_fork_end(bool is_child);

#endif
