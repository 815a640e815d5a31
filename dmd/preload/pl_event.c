/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "preload/pl_event.h"

#include "engine/allocation.h"
#include "engine/observed.h"
#include "preload/pl_lock.h"
#include "preload/pl_main.h"
#include "preload/pl_memory.h"
#include "preload/pl_objects.h"
#include "preload/pl_real.h"
#include "preload/pl_stack.h"

#include <errno.h>
#include <stdatomic.h>

volatile pl_state_t g_state;
dmd_engine_t g_engine;
volatile bool g_is_complete = true;

static dmd_lock_t g_lock; /* the engine lock */

/* ---- What could not be told at once. ---- */

static void note(pl_thread_t *thread, const pl_noted_t *noted) {
  if (g_state == PL_OFF)
    return;
  if (thread->n_noted - thread->n_told >= PL_MAX_NOTED) {
    g_is_complete = false;
    return;
  }
  thread->noted[thread->n_noted++ % PL_MAX_NOTED] = *noted;
}

static uint64_t usable_of(uint64_t addr) {
  return g_real.malloc_usable_size((void *)(uintptr_t)addr);
}

/* The stack is that of the handler no more: the caller is what is left of it. An address of which
 * another block is known is a mystery of the kind above. */
static void tell_noted(pl_thread_t *thread, const pl_noted_t *noted) {
  uint64_t usable = noted->is_free ? 0 : usable_of(noted->addr);
  thread->entry = noted->entry;
  thread->stack = pl_stack_of_entry(&noted->entry);
  pl_lock_take(&g_lock);
  if (noted->is_free
          ? !dmd_observed_free(&g_engine, thread->number, noted->addr)
          : !dmd_observed_alloc(&g_engine, thread->number, noted->addr, noted->req, usable))
    g_is_complete = false;
  pl_lock_give(&g_lock);
}

/* A handler that comes in between adds to it. */
static void tell_all_noted(pl_thread_t *thread) {
  while (thread->n_told != thread->n_noted) {
    pl_noted_t noted = thread->noted[thread->n_told % PL_MAX_NOTED];
    thread->n_told++;
    tell_noted(thread, &noted);
  }
}

/* ---- In and out. ---- */

static bool begin(pl_thread_t *thread) {
  if (thread->inside)
    return false;
  if (g_state != PL_WATCHING) {
    pl_start();
    if (g_state != PL_WATCHING)
      return false;
  }
  thread->inside = true;
  atomic_signal_fence(memory_order_seq_cst);
  thread->saved_errno = errno;
  if (__builtin_expect(thread->number == 0, 0)) {
    pl_lock_take(&g_lock);
    pl_thread_number(thread);
    pl_lock_give(&g_lock);
  }
  if (__builtin_expect(thread->n_told != thread->n_noted, 0))
    tell_all_noted(thread);
  return true;
}

/* Handlers may have noted something until `inside` is false; afterwards they enter. */
static void end(pl_thread_t *thread) {
  errno = thread->saved_errno;
  do {
    thread->inside = true;
    atomic_signal_fence(memory_order_seq_cst);
    tell_all_noted(thread);
    thread->inside = false;
    atomic_signal_fence(memory_order_seq_cst);
  } while (__builtin_expect(thread->n_told != thread->n_noted, 0));
}

bool pl_hide(pl_thread_t *thread) {
  return begin(thread);
}

void pl_unhide(pl_thread_t *thread) {
  end(thread);
}

bool pl_enter(pl_thread_t *thread, const pl_entry_t *entry, bool wants_stack) {
  if (!begin(thread))
    return false;
  thread->stack = DMD_NONE;
  if (entry != NULL)
    thread->entry = *entry;
  if (wants_stack)
    thread->stack = pl_stack_capture(thread);
  pl_lock_take(&g_lock);
  return true;
}

void pl_leave(pl_thread_t *thread) {
  pl_lock_give(&g_lock);
  end(thread);
}

/* ---- What the program's allocator does. ---- */

void pl_tell_alloc(const pl_entry_t *entry, void *p, size_t req) {
  pl_thread_t *thread = pl_thread();
  uint64_t addr = (uintptr_t)p, usable = usable_of(addr);
  if (!pl_enter(thread, entry, true)) {
    note(thread, &(pl_noted_t){.addr = addr, .req = req, .entry = *entry});
    return;
  }
  if (!dmd_observed_alloc(&g_engine, thread->number, addr, req, usable))
    g_is_complete = false;
  pl_leave(thread);
}

/* What is half of all memory or more was a negative number. */
void pl_tell_failure(const pl_entry_t *entry, size_t req) {
  pl_thread_t *thread = pl_thread();
  if (req <= SIZE_MAX / 2 || !pl_enter(thread, entry, true))
    return;
  dmd_engine_say_fault(&g_engine, thread->number, DMD_FAULT_ABSURD_SIZE, "the size is", req);
  pl_leave(thread);
}

void pl_tell_asked(const pl_entry_t *entry, void *p) {
  pl_thread_t *thread = pl_thread();
  if (!pl_enter(thread, entry, g_engine.rules.report))
    return;
  dmd_engine_usable_size(&g_engine, thread->number, (uintptr_t)p);
  pl_leave(thread);
}

/* The capture of a stack may wait for the loader, and must not have the engine lock meanwhile. */
static void capture_late(pl_thread_t *thread) {
  if (thread->stack != DMD_NONE)
    return;
  pl_lock_give(&g_lock);
  thread->stack = pl_stack_capture(thread);
  pl_lock_take(&g_lock);
}

void pl_tell_free(const pl_entry_t *entry, void *p) {
  pl_thread_t *thread = pl_thread();
  uint64_t addr = (uintptr_t)p;
  if (!pl_enter(thread, entry, dmd_live_wants_stack_of_free(&g_engine.live))) {
    note(thread, &(pl_noted_t){.addr = addr, .entry = *entry, .is_free = true});
    return;
  }
  if (!dmd_observed_free(&g_engine, thread->number, addr) && g_is_complete) {
    capture_late(thread);
    dmd_observed_say_invalid_free(&g_engine, thread->number, addr);
  }
  pl_leave(thread);
}

void pl_tell_realloc_begin(const pl_entry_t *entry, void *p, pl_moving_t *moving) {
  pl_thread_t *thread = pl_thread();
  *moving = (pl_moving_t){.addr = (uintptr_t)p};
  if (!pl_enter(thread, entry, true)) {
    note(thread, &(pl_noted_t){.addr = moving->addr, .entry = *entry, .is_free = true});
    return;
  }
  moving->stack = thread->stack;
  moving->is_known = dmd_observed_take(&g_engine, moving->addr, &moving->block);
  if (!moving->is_known && g_is_complete)
    dmd_observed_say_invalid_realloc(&g_engine, thread->number, moving->addr);
  pl_leave(thread);
}

/* A handler cannot have come in between in the one call and not in the other: where the first could
 * not enter, all that it does is noted. */
void pl_tell_realloc_end(const pl_entry_t *entry, const pl_moving_t *moving, void *p, size_t req) {
  pl_thread_t *thread = pl_thread();
  bool is_gone = p != NULL || req == 0;
  uint64_t usable = p == NULL ? 0 : usable_of((uintptr_t)p);
  if (!moving->is_known) {
    if (p != NULL)
      pl_tell_alloc(entry, p, req);
    return;
  }
  if (!pl_enter(thread, entry, false))
    return;
  thread->stack = moving->stack;
  if (is_gone)
    dmd_observed_let_go(&g_engine, moving->addr, &moving->block, moving->stack);
  else
    dmd_observed_put_back(&g_engine, moving->addr, &moving->block, req);
  if (p != NULL && !dmd_observed_alloc(&g_engine, thread->number, (uintptr_t)p, req, usable))
    g_is_complete = false;
  pl_leave(thread);
}

/* ---- In a fork. ---- */

/* A handler that interrupted the engine may fork, too: its thread goes on in both processes, and
 * gives back what it has taken in each. */
static bool g_is_fork_inside;

void pl_event_fork_begin(void) {
  pl_thread_t *thread = pl_thread();
  g_is_fork_inside = thread->inside || g_state != PL_WATCHING;
  if (g_is_fork_inside)
    return;
  thread->inside = true;
  thread->saved_errno = errno;
  pl_objects_fork_begin();
  pl_lock_take(&g_lock);
  pl_stack_fork_begin();
  pl_memory_fork_begin();
}

void pl_event_fork_end(bool is_child) {
  pl_thread_t *thread = pl_thread();
  if (g_is_fork_inside)
    return;
  pl_memory_fork_end();
  pl_stack_fork_end();
  if (is_child) {
    pl_lock_renew(&g_lock);
    pl_thread_forked(thread);
    dmd_engine_forked(&g_engine, thread->number);
  } else {
    pl_lock_give(&g_lock);
  }
  pl_objects_fork_end();
  end(thread);
}
