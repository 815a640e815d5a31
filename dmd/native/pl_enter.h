/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_enter.h: how a thread enters and leaves the engine, and the engine lock.
 *
 * A thread enters the engine, does its work and leaves. While inside, it must not call into the
 * program: neither its allocator nor anything that takes the loader's lock. Most allocations, frees
 * and reallocs need no more (pl_malloc.c). Everything else also takes the engine lock. A stack is
 * captured before that, since finding the loaded code may wait for the loader.
 *
 * A signal handler that interrupts a thread inside the engine cannot enter, and no thread can
 * before the engine has started. Allocations and frees made then are queued as notes in the
 * thread's state (pl_state.h), and recorded in order when the thread next leaves or enters. Until
 * then another thread may free or reuse the same address, and a note is lost if there is no memory
 * for it. Either makes the record incomplete (g_is_complete), and frees of unknown blocks are no
 * longer reported as errors.
 *
 * Concurrency: any thread. Lock order: the engine lock, then the locks of the block shards
 * (record/heap/blocks.h), then those of stacks (pl_stack.h) and memory (pl_memory.h). The locks of
 * pl_objects.h must not be taken while the engine lock is held.
 */
#ifndef DMD_NATIVE_PL_ENTER_H
#define DMD_NATIVE_PL_ENTER_H

#include "native/pl_otel.h"
#include "native/pl_real.h"
#include "native/pl_state.h"

#include <stdatomic.h>

/* The rare steps of the following. */
void pl_enter_first(pl_thread_t *thread);
void pl_log_notes(pl_thread_t *thread);
void pl_leave_with_notes(pl_thread_t *thread);

/* Copies word by word, as the entry was written a moment ago: a wider load from two recent narrower
 * stores stalls on store forwarding. */
static inline void pl_enter_at(pl_thread_t *thread, const pl_entry_t *entry) {
  uint64_t ip = entry->ip, sp = entry->sp, fp = entry->fp;
  const pl_function_t *in = entry->in;
  __asm__("" : "+r"(ip), "+r"(sp), "+r"(fp), "+r"(in));
  thread->entry = (pl_entry_t){.ip = ip, .sp = sp, .fp = fp, .in = in};
  thread->stack = DMD_NONE;
}

/* Enters the engine. Returns false where that is impossible (see above); the caller must not leave
 * then. entry: where the program called; NULL if it did not. */
static inline __attribute__((always_inline)) bool pl_enter(pl_thread_t *thread,
                                                           const pl_entry_t *entry) {
  if (__builtin_expect(thread->inside, 0))
    return false;
  thread->inside = true;
  atomic_signal_fence(memory_order_seq_cst);
  if (__builtin_expect(g_state != PL_WATCHING,
                       0)) { /* a detaching thread first stops those inside */
    thread->inside = false;
    return false;
  }
  if (__builtin_expect(thread->start != g_start, 0))
    pl_enter_first(thread);
  else
    thread->saved_errno = *thread->errno_at;
  if (__builtin_expect(pl_notes_any(&thread->notes), 0))
    pl_log_notes(thread);
  if (entry != NULL)
    pl_enter_at(thread, entry);
  return true;
}

/* Handlers may add notes until `inside` is false; after that they enter the engine themselves. */
static inline __attribute__((always_inline)) void pl_leave(pl_thread_t *thread) {
  *thread->errno_at = thread->saved_errno;
  thread->inside = false;
  atomic_signal_fence(memory_order_seq_cst);
  if (__builtin_expect(pl_notes_any(&thread->notes), 0))
    pl_leave_with_notes(thread);
}

/* ---- The engine lock, for a thread that is inside ---- */

void pl_lock(void);
void pl_unlock(pl_thread_t *thread);

/* Captures the thread's stack first, and sees by it whether the thread is in a signal handler of
 * the program's. */
void pl_lock_with_stack(pl_thread_t *thread);

/* Unlocks after an event that changed no thread's scopes: the thread's copy of the engine's state
 * is still valid. */
void pl_unlock_same(pl_thread_t *thread);

/* ---- Blocks ---- */

/* The usable size of the block at addr. In some allocators this query allocates, so the thread must
 * hold no lock. */
static inline uint64_t pl_usable_size(uint64_t addr) {
  return g_real.malloc_usable_size((void *)(uintptr_t)addr);
}

/* With --sample-interval only some blocks are recorded. Each thread decides which
 * (record/heap/sample.h), when it allocates or when it processes a note. Returns whether to
 * record this new block, after telling tracers of one that is sampled. */
static inline bool pl_is_kept(pl_thread_t *thread, uint64_t addr, size_t req) {
  const dmd_live_config_t *config = &g_engine.live.config;
  if (__builtin_expect(config->sample_interval == 0, 1))
    return true;
  if (!dmd_countdown_keeps(&thread->countdown, config->sample_interval,
                           config->seed + thread->number, req))
    return false;
  pl_otel_alloc(addr, req);
  return true;
}

#endif
