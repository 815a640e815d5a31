/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_enter.h"

#include "native/pl_kernel.h"
#include "native/pl_stack.h"
#include "record/engine/observed.h"

#include <errno.h>

/* ---- The engine lock ---- */

static dmd_lock_t g_lock;

void pl_lock(void) {
  pl_lock_take(&g_lock);
}

void pl_unlock(pl_thread_t *thread) {
  dmd_engine_leave(&g_engine, thread->number, &thread->fastpath);
  pl_lock_give(&g_lock);
}

void pl_unlock_same(pl_thread_t *thread) {
  dmd_engine_leave(&g_engine, thread->number, NULL);
  pl_lock_give(&g_lock);
}

/* The engine is not notified when a signal handler of the program's begins or ends; it notices by
 * the stacks. A report, which changes no scopes (pl_unlock_same), may be the first event with such
 * a stack. */
static void see_handler(pl_thread_t *thread) {
  if (thread->interrupted_sp == 0 && !pl_stack_is_whole(thread->stack))
    return;
  dmd_engine_see_handler(&g_engine, thread->number, thread->interrupted_sp);
  dmd_live_refresh(&g_engine.live, thread->number, &thread->fastpath);
}

void pl_lock_with_stack(pl_thread_t *thread) {
  pl_stack_capture(thread);
  pl_lock();
  if (__builtin_expect(
          thread->interrupted_sp != 0 || dmd_live_is_in_handler(&g_engine.live, thread->number), 0))
    see_handler(thread);
}

/* ---- Notes ---- */

/* The handler has returned, so only the caller remains of its stack. If the address belongs to
 * another known block by now, the record is incomplete. */
static void tell_of_block(pl_thread_t *thread, const pl_note_t *what) {
  bool is_free = what->kind == PL_NOTE_FREE;
  if (!is_free && !pl_is_kept(thread, what->addr, what->req))
    return;
  uint64_t usable = is_free ? 0 : pl_usable_size(what->addr);
  thread->entry = what->entry;
  thread->stack = pl_stack_of_entry(&what->entry);
  pl_lock();
  bool is_known =
      is_free ? dmd_observed_free(&g_engine, thread->number, what->addr)
              : dmd_observed_alloc(&g_engine, thread->number, what->addr, what->req, usable);
  if (!is_known)
    g_is_complete = false;
  pl_unlock(thread);
  if (is_free && is_known)
    pl_otel_free(what->addr);
}

/* A handler that interrupts this loop adds more notes. */
__attribute__((noinline, cold)) void pl_log_notes(pl_thread_t *thread) {
  pl_note_t what;
  while (pl_notes_any(&thread->notes) && pl_notes_take(&thread->notes, &what))
    if (what.kind == PL_NOTE_CALL)
      what.call(what.argument);
    else
      tell_of_block(thread, &what);
}

/* ---- Entering and leaving ---- */

__attribute__((noinline, cold)) void pl_enter_first(pl_thread_t *thread) {
  thread->errno_at = &errno;
  thread->saved_errno = errno;
  thread->start = g_start;
  thread->fastpath = (dmd_fastpath_t){0};
  thread->countdown = (dmd_countdown_t){0};
  if (thread->numbered == g_start)
    return;
  pl_lock();
  pl_number_assign(thread);
  pl_unlock(thread);
}

__attribute__((noinline, cold)) void pl_leave_with_notes(pl_thread_t *thread) {
  do {
    thread->inside = true;
    atomic_signal_fence(memory_order_seq_cst);
    pl_log_notes(thread);
    thread->inside = false;
    atomic_signal_fence(memory_order_seq_cst);
  } while (pl_notes_any(&thread->notes));
}
