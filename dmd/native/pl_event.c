/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_event.h"

#include "native/pl_altstack.h"
#include "native/pl_control.h"
#include "native/pl_deadly.h"
#include "native/pl_kernel.h"
#include "native/pl_main.h"
#include "native/pl_memory.h"
#include "native/pl_objects.h"
#include "native/pl_real.h"
#include "native/pl_stack.h"
#include "native/pl_stop.h"
#include "record/engine/allocation.h"
#include "record/engine/observed.h"

#include <errno.h>
#include <stdatomic.h>

volatile pl_state_t g_state;
dmd_engine_t g_engine;
volatile bool g_is_complete = true;

static dmd_lock_t g_lock; /* the engine lock */

static void lock_engine(void) {
  pl_lock_take(&g_lock);
}

static void unlock_engine(pl_thread_t *thread) {
  dmd_engine_leave(&g_engine, thread->number, &thread->quick);
  pl_lock_give(&g_lock);
}

/* ---- Notes: events that could not be recorded at once. ---- */

__attribute__((noinline, cold)) static void note(pl_thread_t *thread, const pl_note_t *what) {
  if (g_state != PL_OFF && !pl_notes_add(&thread->notes, what))
    g_is_complete = false;
}

void pl_note_request(pl_thread_t *thread) {
  note(thread, &(pl_note_t){.kind = PL_NOTE_REQUEST});
}

void pl_note_stop(pl_thread_t *thread) {
  note(thread, &(pl_note_t){.kind = PL_NOTE_STOP});
}

void pl_note_end(pl_thread_t *thread, int number) {
  note(thread, &(pl_note_t){.req = (uint64_t)number, .kind = PL_NOTE_END});
}

void pl_note_shortage(pl_thread_t *thread) {
  note(thread, &(pl_note_t){.kind = PL_NOTE_SHORTAGE});
}

/* Called while the thread is inside but without a lock: in some allocators this query allocates. */
static uint64_t usable_of(uint64_t addr) {
  return g_real.malloc_usable_size((void *)(uintptr_t)addr);
}

/* Whether to record a new block of this size. The thread is inside. */
static inline bool is_kept(pl_thread_t *thread, size_t req) {
  const dmd_live_config_t *config = &g_engine.live.config;
  return __builtin_expect(config->sample_interval == 0, 1) ||
         dmd_countdown_keeps(&thread->countdown, config->sample_interval,
                             config->seed + thread->number, req);
}

/* Whether every block is known, so that an unknown address is an error of the program's. */
static bool knows_all(void) {
  return g_is_complete && g_engine.live.config.sample_interval == 0;
}

/* The handler has returned, so only the caller remains of its stack. If the address belongs to
 * another known block by now, the record is incomplete. */
static void tell_of_block(pl_thread_t *thread, const pl_note_t *what) {
  bool is_free = what->kind == PL_NOTE_FREE;
  if (!is_free && !is_kept(thread, what->req))
    return;
  uint64_t usable = is_free ? 0 : usable_of(what->addr);
  thread->entry = what->entry;
  thread->stack = pl_stack_of_entry(&what->entry);
  lock_engine();
  if (is_free ? !dmd_observed_free(&g_engine, thread->number, what->addr)
              : !dmd_observed_alloc(&g_engine, thread->number, what->addr, what->req, usable))
    g_is_complete = false;
  unlock_engine(thread);
}

static void tell_note(pl_thread_t *thread, const pl_note_t *what) {
  if (what->kind == PL_NOTE_REQUEST)
    pl_control_serve();
  else if (what->kind == PL_NOTE_STOP)
    pl_stop_wait();
  else if (what->kind == PL_NOTE_END)
    pl_deadly_serve((int)what->req);
  else if (what->kind == PL_NOTE_SHORTAGE)
    pl_main_stop_recording();
  else
    tell_of_block(thread, what);
}

/* A handler that interrupts this loop adds more notes. */
__attribute__((noinline, cold)) static void tell_notes(pl_thread_t *thread) {
  pl_note_t what;
  while (pl_notes_any(&thread->notes) && pl_notes_take(&thread->notes, &what))
    tell_note(thread, &what);
}

/* ---- Entering and leaving. ---- */

static void note_errno(pl_thread_t *thread) {
  thread->errno_at = &errno;
  thread->saved_errno = errno;
}

__attribute__((noinline, cold)) static bool starts_watching(void) {
  pl_start();
  return g_state == PL_WATCHING;
}

/* A thread's first event. */
__attribute__((noinline, cold)) static void come_in(pl_thread_t *thread) {
  note_errno(thread);
  if (thread->number != 0)
    return;
  lock_engine();
  pl_thread_number(thread);
  unlock_engine(thread);
}

/* The common path is inline, the rare ones are not. */
static inline __attribute__((always_inline)) bool begin(pl_thread_t *thread) {
  if (__builtin_expect(thread->inside, 0) ||
      (__builtin_expect(g_state != PL_WATCHING, 0) && !starts_watching()))
    return false;
  thread->inside = true;
  atomic_signal_fence(memory_order_seq_cst);
  if (__builtin_expect(thread->errno_at == NULL, 0))
    come_in(thread);
  else
    thread->saved_errno = *thread->errno_at;
  if (__builtin_expect(pl_notes_any(&thread->notes), 0))
    tell_notes(thread);
  return true;
}

/* Handlers may add notes until `inside` is false; after that they enter the engine themselves. */
__attribute__((noinline, cold)) static void end_with_notes(pl_thread_t *thread) {
  do {
    thread->inside = true;
    atomic_signal_fence(memory_order_seq_cst);
    tell_notes(thread);
    thread->inside = false;
    atomic_signal_fence(memory_order_seq_cst);
  } while (pl_notes_any(&thread->notes));
}

static inline __attribute__((always_inline)) void end(pl_thread_t *thread) {
  *thread->errno_at = thread->saved_errno;
  thread->inside = false;
  atomic_signal_fence(memory_order_seq_cst);
  if (__builtin_expect(pl_notes_any(&thread->notes), 0))
    end_with_notes(thread);
}

void pl_lock_inside(void) {
  lock_engine();
}

void pl_unlock_inside(pl_thread_t *thread) {
  unlock_engine(thread);
}

bool pl_hide(pl_thread_t *thread) {
  return begin(thread);
}

void pl_unhide(pl_thread_t *thread) {
  end(thread);
}

/* Copies word by word, as the entry was written a moment ago: a wider load from two recent narrower
 * stores stalls on store forwarding. */
static inline void note_entry(pl_thread_t *thread, const pl_entry_t *entry) {
  uint64_t ip = entry->ip, sp = entry->sp, fp = entry->fp;
  const pl_function_t *in = entry->in;
  __asm__("" : "+r"(ip), "+r"(sp), "+r"(fp), "+r"(in));
  thread->entry = (pl_entry_t){.ip = ip, .sp = sp, .fp = fp, .in = in};
}

static inline __attribute__((always_inline)) bool begin_at(pl_thread_t *thread,
                                                           const pl_entry_t *entry) {
  if (!begin(thread))
    return false;
  thread->stack = DMD_NONE;
  if (entry != NULL)
    note_entry(thread, entry);
  return true;
}

bool pl_hide_at(pl_thread_t *thread, const pl_entry_t *entry) {
  return begin_at(thread, entry);
}

/* Capturing a stack may wait for the loader, so the engine lock must not be held meanwhile. */
static void lock_with_stack(pl_thread_t *thread, bool wants_stack) {
  if (wants_stack && thread->stack == DMD_NONE)
    thread->stack = pl_stack_capture(thread);
  lock_engine();
}

/* The engine is not notified when a signal handler of the program's begins or ends; it notices by
 * the stacks. A report, which changes no scopes (pl_leave_same), may be the first event with such a
 * stack. */
static void see_handler(pl_thread_t *thread) {
  if (thread->interrupted_sp == 0 && !pl_stack_is_whole(thread->stack))
    return;
  dmd_engine_see_handler(&g_engine, thread->number, thread->interrupted_sp);
  dmd_live_refresh(&g_engine.live, thread->number, &thread->quick);
}

bool pl_enter(pl_thread_t *thread, const pl_entry_t *entry, bool wants_stack) {
  if (!begin_at(thread, entry))
    return false;
  lock_with_stack(thread, wants_stack);
  if (wants_stack &&
      __builtin_expect(
          thread->interrupted_sp != 0 || dmd_live_is_in_handler(&g_engine.live, thread->number), 0))
    see_handler(thread);
  return true;
}

void pl_leave(pl_thread_t *thread) {
  unlock_engine(thread);
  end(thread);
}

void pl_leave_same(pl_thread_t *thread) {
  dmd_engine_leave(&g_engine, thread->number, NULL);
  pl_lock_give(&g_lock);
  end(thread);
}

/* ---- Events of the program's allocator. ---- */

/* Most events take the fast path, without the engine lock. */

static inline uint32_t stack_of(void *ctx) {
  return pl_stack_capture(ctx);
}

static inline dmd_fastpath_event_t quick_event(pl_thread_t *thread) {
  return (dmd_fastpath_event_t){.quick = &thread->quick,
                                .thread = thread->number,
                                .sp = thread->entry.sp,
                                .stack = stack_of,
                                .ctx = thread};
}

/* An allocator like the C library's keeps a block's size in the 8 bytes in front of it, and reads
 * the next block's as well to compute the usable size. Both are prefetched as soon as their
 * addresses are known. With another allocator the prefetch is harmless. */
enum { IN_FRONT_SZB = 8, BLOCK_ALIGN = 16 };

static void fetch_next(const char *p, size_t req) {
  size_t up_to_next = (req + IN_FRONT_SZB + BLOCK_ALIGN - 1) & ~(size_t)(BLOCK_ALIGN - 1);
  __builtin_prefetch(p + up_to_next - IN_FRONT_SZB);
}

__attribute__((noinline)) static void tell_new_with_lock(pl_thread_t *thread, uint64_t addr,
                                                         size_t req, uint64_t usable) {
  lock_with_stack(thread, true);
  if (!dmd_observed_alloc(&g_engine, thread->number, addr, req, usable))
    g_is_complete = false;
  unlock_engine(thread);
}

static inline void tell_new(pl_thread_t *thread, uint64_t addr, size_t req) {
  if (dmd_live_wants_all_stacks(&g_engine.live))
    pl_stack_capture(thread);
  uint64_t usable = usable_of(addr);
  dmd_fastpath_event_t event = quick_event(thread);
  if (!dmd_observed_quick_alloc(&g_engine, &event, addr, req, usable))
    tell_new_with_lock(thread, addr, req, usable);
}

void pl_tell_alloc(const pl_entry_t *entry, void *p, size_t req) {
  fetch_next(p, req);
  pl_thread_t *thread = pl_thread();
  uint64_t addr = (uintptr_t)p;
  if (!begin_at(thread, entry)) {
    note(thread, &(pl_note_t){.addr = addr, .req = req, .entry = *entry});
    return;
  }
  if (is_kept(thread, req))
    tell_new(thread, addr, req);
  end(thread);
}

/* A size of half the address space or more is a negative number in disguise. */
void pl_tell_failure(const pl_entry_t *entry, size_t req) {
  pl_thread_t *thread = pl_thread();
  if (req <= SIZE_MAX / 2 || !pl_enter(thread, entry, true))
    return;
  dmd_engine_say_fault(&g_engine, thread->number, DMD_FAULT_ABSURD_SIZE, "the size is", req);
  pl_leave(thread);
}

void pl_tell_asked(const pl_entry_t *entry, void *p) {
  pl_thread_t *thread = pl_thread();
  if (g_state == PL_WATCHING && (!dmd_observed_wants_size(&g_engine, &thread->quick) ||
                                 dmd_live_passed_over(&g_engine.live, (uintptr_t)p)))
    return;
  if (!pl_enter(thread, entry, g_engine.rules.report))
    return;
  dmd_engine_usable_size(&g_engine, thread->number, (uintptr_t)p);
  pl_leave(thread);
}

static void capture_late(pl_thread_t *thread) {
  if (thread->stack != DMD_NONE)
    return;
  unlock_engine(thread);
  lock_with_stack(thread, true);
}

/* Returns false if no block is known at addr. */
__attribute__((noinline)) static bool tell_free_with_lock(pl_thread_t *thread, uint64_t addr) {
  lock_with_stack(thread, dmd_live_wants_stack_of_free(&g_engine.live));
  bool is_valid = dmd_observed_free(&g_engine, thread->number, addr) || !knows_all();
  if (!is_valid) {
    capture_late(thread);
    dmd_observed_say_invalid_free(&g_engine, thread->number, addr);
  }
  unlock_engine(thread);
  return is_valid;
}

bool pl_tell_free(const pl_entry_t *entry, void *p) {
  pl_thread_t *thread = pl_thread();
  uint64_t addr = (uintptr_t)p;
  if (pl_is_passed_over(thread, addr))
    return true;
  __builtin_prefetch((char *)p - IN_FRONT_SZB, 1);
  if (!begin_at(thread, entry)) {
    note(thread, &(pl_note_t){.addr = addr, .entry = *entry, .kind = PL_NOTE_FREE});
    return true;
  }
  dmd_fastpath_event_t event = quick_event(thread);
  bool is_valid =
      dmd_observed_quick_free(&g_engine, &event, addr) || tell_free_with_lock(thread, addr);
  end(thread);
  return is_valid;
}

bool pl_tell_realloc_begin(const pl_entry_t *entry, void *p, size_t req, pl_moving_t *moving) {
  pl_thread_t *thread = pl_thread();
  *moving = (pl_moving_t){.addr = (uintptr_t)p};
  if (pl_is_passed_over(thread, moving->addr))
    return true;
  if (!begin_at(thread, entry)) {
    note(thread, &(pl_note_t){.addr = moving->addr, .entry = *entry, .kind = PL_NOTE_FREE});
    return true;
  }
  bool is_valid = true;
  moving->stack = pl_stack_capture(thread);
  moving->block = dmd_observed_quick_begin_realloc(&g_engine, moving->addr);
  if (moving->block == NULL) {
    thread->stack = moving->stack;
    lock_engine();
    moving->block = dmd_observed_begin_realloc(&g_engine, moving->addr);
    is_valid = moving->block != NULL || !knows_all();
    if (!is_valid)
      dmd_observed_say_invalid_realloc(&g_engine, thread->number, moving->addr, req);
    unlock_engine(thread);
  }
  end(thread);
  return is_valid;
}

static void tell_moved(pl_thread_t *thread, const pl_moving_t *moving, void *p, size_t req,
                       uint64_t usable) {
  dmd_fastpath_event_t event = quick_event(thread);
  uint64_t addr = (uintptr_t)p;
  bool is_gone = p == NULL ? req == 0 : !is_kept(thread, req);
  if (!is_gone && p != NULL &&
      dmd_observed_quick_end_realloc(&g_engine, &event, moving->addr, moving->block, addr, req,
                                     usable))
    return;
  lock_engine();
  if (is_gone)
    dmd_observed_free_by_realloc(&g_engine, thread->number, moving->addr, moving->block);
  else if (p == NULL)
    dmd_observed_put_back(&g_engine, moving->addr, moving->block, req);
  else if (!dmd_observed_end_realloc(&g_engine, thread->number, moving->addr, moving->block, addr,
                                     req, usable))
    g_is_complete = false;
  unlock_engine(thread);
}

/* If begin could not enter, the thread runs a handler that interrupted the engine, so end cannot
 * enter either: both become notes. */
void pl_tell_realloc_end(const pl_entry_t *entry, const pl_moving_t *moving, void *p, size_t req) {
  pl_thread_t *thread = pl_thread();
  if (moving->block == NULL) {
    if (p != NULL && !dmd_countdown_passes(&thread->countdown, req))
      pl_tell_alloc(entry, p, req);
    return;
  }
  if (!begin_at(thread, entry))
    return;
  uint64_t usable = p == NULL ? 0 : usable_of((uintptr_t)p);
  thread->stack = moving->stack;
  tell_moved(thread, moving, p, req, usable);
  end(thread);
}

/* ---- fork ---- */

/* Whether fork was called inside the engine, by a handler that interrupted it. The interrupted
 * thread continues in both processes and releases in each what it holds. */
static bool g_is_fork_inside;

void pl_event_fork_begin(void) {
  pl_thread_t *thread = pl_thread();
  g_is_fork_inside = thread->inside || g_state != PL_WATCHING;
  if (g_is_fork_inside)
    return;
  thread->inside = true;
  note_errno(thread);
  pl_objects_fork_begin();
  lock_engine();
  dmd_blocks_hold_all(g_engine.live.blocks);
  pl_stack_fork_begin();
  pl_altstack_fork_begin();
  pl_memory_fork_begin();
}

void pl_event_fork_end(bool is_child) {
  pl_thread_t *thread = pl_thread();
  if (g_is_fork_inside)
    return;
  pl_memory_fork_end();
  pl_altstack_fork_end();
  pl_stack_fork_end();
  if (is_child) {
    if (pl_thread_count() > 1)
      pl_objects_stop_asking();
    pl_thread_forked(thread);
    dmd_engine_forked(&g_engine, thread->number);
  }
  dmd_engine_leave(&g_engine, thread->number, &thread->quick);
  pl_lock_give(&g_lock);
  pl_objects_fork_end();
  end(thread);
}
