/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The whole path of malloc and free, fast path first.
 *
 * malloc calls the program's own function. Then the thread enters the engine (pl_enter), adds the
 * block's record without the engine lock (record/engine/observed.h), or with it if that is
 * impossible, and leaves. free removes the record first, in the same way.
 */
#include "native/pl_malloc.h"

#include "base/mem.h"
#include "native/pl_control.h"
#include "native/pl_enter.h"
#include "native/pl_main.h"
#include "native/pl_stack.h"
#include "record/engine/allocation.h"
#include "record/engine/observed.h"

#include <errno.h>
#include <unistd.h>

/* ---- Starting ---- */

/* Until the program's functions are found, the loader and dlsym get early memory. */
static bool is_early(void) {
  if (__builtin_expect(!pl_real_is_found(), 0))
    pl_real_find();
  return __builtin_expect(!pl_real_is_found(), 0);
}

__attribute__((noinline, cold)) static bool start_and_enter(pl_thread_t *thread,
                                                            const pl_entry_t *entry) {
  pl_start();
  return pl_enter(thread, entry);
}

static inline __attribute__((always_inline)) bool enter(pl_thread_t *thread,
                                                        const pl_entry_t *entry) {
  return pl_enter(thread, entry) || (g_state == PL_NOT_STARTED && start_and_enter(thread, entry));
}

/* ---- Sampling ---- */

/* Whether the block at addr was not sampled. Takes no lock. False inside the engine, since a
 * handler's notes may not have been processed yet. */
static inline bool is_passed_over(const pl_thread_t *thread, uint64_t addr) {
  return dmd_live_passed_over(&g_engine.live, addr) && !thread->inside;
}

/* Whether to skip a block that is about to be freed, which is all that most calls cost then. */
static inline bool passes_free(const void *p) {
  return is_passed_over(pl_thread(), (uintptr_t)p) && !pl_early_has(p);
}

/* ---- Filling ---- */

void pl_fill(void *p, size_t kept_szB) {
  size_t usable_szB = p == NULL ? 0 : g_real.malloc_usable_size(p);
  if (usable_szB > kept_szB)
    dmd_mem_fill((char *)p + kept_szB, DMD_FILL, usable_szB - kept_szB);
}

/* ---- malloc ---- */

static void record_kept(pl_thread_t *thread, uint64_t addr, size_t req);
static void record_with_lock(pl_thread_t *thread, uint64_t addr, size_t req, uint64_t usable);

PL_REPLACE(void *, malloc, (size_t szB)) {
  if (is_early())
    return pl_early_alloc(1, szB);
  void *p = g_real.malloc(szB);
  if (__builtin_expect(pl_passes(p, szB), 0))
    return p;
  pl_entry_t entry = PL_ENTRY(malloc);
  return pl_record_new(&entry, p, szB);
}

/* An allocator like the C library's keeps a block's size in the 8 bytes in front of it, and reads
 * the next block's as well to compute the usable size. Both are prefetched as soon as their
 * addresses are known. With another allocator the prefetch is harmless. */
enum { IN_FRONT_SZB = 8, BLOCK_ALIGN = 16 };

static void fetch_next(const char *p, size_t req) {
  size_t up_to_next = (req + IN_FRONT_SZB + BLOCK_ALIGN - 1) & ~(size_t)(BLOCK_ALIGN - 1);
  __builtin_prefetch(p + up_to_next - IN_FRONT_SZB);
}

void pl_record_block(const pl_entry_t *entry, void *p, size_t req) {
  fetch_next(p, req);
  pl_thread_t *thread = pl_thread();
  uint64_t addr = (uintptr_t)p;
  if (!enter(thread, entry)) {
    pl_note(thread, &(pl_note_t){.addr = addr, .req = req, .entry = *entry});
    return;
  }
  if (pl_is_kept(thread, addr, req))
    record_kept(thread, addr, req);
  pl_leave(thread);
}

static inline uint32_t stack_of(void *ctx) {
  return pl_stack_capture(ctx);
}

static inline dmd_fastpath_event_t event_of(pl_thread_t *thread) {
  return (dmd_fastpath_event_t){.fastpath = &thread->fastpath,
                                .thread = thread->number,
                                .sp = thread->entry.sp,
                                .stack = stack_of,
                                .ctx = thread};
}

static inline void record_kept(pl_thread_t *thread, uint64_t addr, size_t req) {
  if (dmd_live_wants_all_stacks(&g_engine.live))
    pl_stack_capture(thread);
  uint64_t usable = pl_usable_size(addr);
  dmd_fastpath_event_t event = event_of(thread);
  if (!dmd_observed_fast_alloc(&g_engine, &event, addr, req, usable))
    record_with_lock(thread, addr, req, usable);
}

__attribute__((noinline)) static void record_with_lock(pl_thread_t *thread, uint64_t addr,
                                                       size_t req, uint64_t usable) {
  pl_stack_capture(thread);
  pl_lock();
  if (!dmd_observed_alloc(&g_engine, thread->number, addr, req, usable))
    g_is_complete = false;
  bool is_due = g_engine.due != NULL;
  pl_unlock(thread);
  thread->fastpath.not_newest = ~addr;
  if (is_due)
    pl_control_dump_due(thread);
}

/* A size of half the address space or more is a negative number in disguise. */
void pl_record_failure(const pl_entry_t *entry, size_t req) {
  pl_thread_t *thread = pl_thread();
  bool is_absurd = req > SIZE_MAX / 2;
  int error = errno;
  if (!(is_absurd || g_options.dump_at_failure) || !enter(thread, entry))
    return;
  pl_lock_with_stack(thread);
  if (is_absurd)
    dmd_engine_say_fault(&g_engine, thread->number, DMD_FAULT_ABSURD_SIZE, "the size is", req);
  else
    dmd_engine_note_failure(&g_engine, thread->number, req);
  bool is_due = g_engine.due != NULL;
  pl_unlock(thread);
  if (is_due)
    pl_control_dump_due(thread);
  pl_leave(thread);
  errno = error;
}

/* ---- free ---- */

static bool free_with_lock(pl_thread_t *thread, uint64_t addr, bool *is_known);

/* Whether to call the program's function. */
static bool record_free(const pl_entry_t *entry, void *p) {
  return p != NULL && !pl_early_has(p) && !is_early() && pl_record_free(entry, p);
}

PL_REPLACE(void, free, (void *p)) {
  if (__builtin_expect(passes_free(p), 0)) {
    g_real.free(p);
    return;
  }
  pl_entry_t entry = PL_ENTRY(free);
  if (record_free(&entry, p))
    g_real.free(p);
}

bool pl_record_free(const pl_entry_t *entry, void *p) {
  pl_thread_t *thread = pl_thread();
  uint64_t addr = (uintptr_t)p;
  if (is_passed_over(thread, addr))
    return true;
  __builtin_prefetch((char *)p - IN_FRONT_SZB, 1);
  if (!enter(thread, entry)) {
    pl_note(thread, &(pl_note_t){.addr = addr, .entry = *entry, .kind = PL_NOTE_FREE});
    return true;
  }
  dmd_fastpath_event_t event = event_of(thread);
  bool is_known = dmd_observed_fast_free(&g_engine, &event, addr);
  bool is_valid = is_known || free_with_lock(thread, addr, &is_known);
  if (is_known)
    pl_otel_free(addr);
  pl_leave(thread);
  return is_valid;
}

/* Whether every block is known, so that an unknown address is an error of the program's. */
static bool knows_all(void) {
  return g_is_complete && g_engine.live.config.sample_interval == 0;
}

/* Blocks from before the engine was attached are counted. With sampling others are unknown, too. */
static bool counts_older(void) {
  return __builtin_expect(g_engine.attached.is_attached, 0) &&
         g_engine.live.config.sample_interval == 0;
}

static void capture_late(pl_thread_t *thread) {
  if (thread->stack != DMD_NONE)
    return;
  pl_unlock(thread);
  pl_stack_capture(thread);
  pl_lock();
}

/* Returns false if a block is to be known at addr, and none is. */
__attribute__((noinline)) static bool free_with_lock(pl_thread_t *thread, uint64_t addr,
                                                     bool *is_known) {
  uint64_t older_szB = counts_older() ? pl_usable_size(addr) : 0;
  if (dmd_live_wants_stack_of_free(&g_engine.live))
    pl_stack_capture(thread);
  pl_lock();
  *is_known = dmd_observed_free(&g_engine, thread->number, addr);
  bool is_valid = *is_known || !knows_all();
  if (!*is_known && counts_older())
    dmd_observed_count_older(&g_engine, older_szB);
  if (!is_valid) {
    capture_late(thread);
    dmd_observed_say_invalid_free(&g_engine, thread->number, addr);
  }
  pl_unlock(thread);
  return is_valid;
}

PL_REPLACE(void, free_sized, (void *p, size_t szB)) {
  pl_entry_t entry = PL_ENTRY(free_sized);
  if (!record_free(&entry, p))
    return;
  if (g_real.free_sized != NULL)
    g_real.free_sized(p, szB);
  else
    g_real.free(p);
}

PL_REPLACE(void, free_aligned_sized, (void *p, size_t alignB, size_t szB)) {
  pl_entry_t entry = PL_ENTRY(free_aligned_sized);
  if (!record_free(&entry, p))
    return;
  if (g_real.free_aligned_sized != NULL)
    g_real.free_aligned_sized(p, alignB, szB);
  else
    g_real.free(p);
}

/* ---- realloc ---- */

PL_REPLACE(void *, realloc, (void *p, size_t szB)) {
  pl_entry_t entry = PL_ENTRY(realloc);
  return pl_resize(&entry, p, szB);
}

/* Copies a block out of early memory, which is never freed. */
static void *leave_early(const pl_entry_t *entry, void *p, size_t szB) {
  size_t old_szB = pl_early_size(p);
  void *now = is_early() ? pl_early_alloc(1, szB) : pl_record_new(entry, g_real.malloc(szB), szB);
  if (now != NULL)
    dmd_mem_copy(now, p, old_szB < szB ? old_szB : szB);
  return now;
}

/* The C library's reallocarray calls realloc, which would be ours; so our reallocarray does not
 * call it. */
void *pl_resize(const pl_entry_t *entry, void *p, size_t szB) {
  if (pl_early_has(p))
    return leave_early(entry, p, szB);
  if (is_early())
    return pl_early_alloc(1, szB);
  if (p == NULL)
    return pl_record_new(entry, g_real.realloc(NULL, szB), szB);
  pl_moving_t moving;
  bool fills = g_options.fill, passes = passes_free(p);
  if (!passes && !pl_record_realloc_begin(entry, p, szB, &moving))
    return NULL;
  size_t kept_szB = fills ? g_real.malloc_usable_size(p) : 0;
  void *now = g_real.realloc(p, szB);
  if (passes)
    pl_record_alloc(entry, now, szB);
  else {
    pl_record_realloc_end(entry, &moving, now, szB);
    if (now == NULL)
      pl_record_failure(entry, szB);
  }
  if (fills)
    pl_fill(now, kept_szB);
  return now;
}

bool pl_record_realloc_begin(const pl_entry_t *entry, void *p, size_t req, pl_moving_t *moving) {
  pl_thread_t *thread = pl_thread();
  *moving = (pl_moving_t){.addr = (uintptr_t)p, .start = g_start};
  if (is_passed_over(thread, moving->addr))
    return true;
  if (!enter(thread, entry)) {
    pl_note(thread, &(pl_note_t){.addr = moving->addr, .entry = *entry, .kind = PL_NOTE_FREE});
    return true;
  }
  bool is_valid = true;
  moving->stack = pl_stack_capture(thread);
  moving->block = dmd_observed_fast_begin_realloc(&g_engine, moving->addr);
  if (moving->block == NULL) {
    uint64_t older_szB = counts_older() ? pl_usable_size(moving->addr) : 0;
    thread->stack = moving->stack;
    pl_lock();
    moving->block = dmd_observed_begin_realloc(&g_engine, moving->addr);
    is_valid = moving->block != NULL || !knows_all();
    if (moving->block == NULL && counts_older())
      dmd_observed_count_older(&g_engine, older_szB);
    if (!is_valid)
      dmd_observed_say_invalid_realloc(&g_engine, thread->number, moving->addr, req);
    pl_unlock(thread);
  }
  if (moving->block != NULL)
    pl_otel_free(moving->addr);
  pl_leave(thread);
  return is_valid;
}

static void record_moved(pl_thread_t *thread, const pl_moving_t *moving, void *p, size_t req,
                         uint64_t usable) {
  dmd_fastpath_event_t event = event_of(thread);
  uint64_t addr = (uintptr_t)p;
  bool is_gone = p == NULL ? req == 0 : !pl_is_kept(thread, addr, req);
  if (!is_gone && p != NULL &&
      dmd_observed_fast_end_realloc(&g_engine, &event, moving->addr, moving->block, addr, req,
                                    usable))
    return;
  pl_lock();
  if (is_gone)
    dmd_observed_free_by_realloc(&g_engine, thread->number, moving->addr, moving->block);
  else if (p == NULL) {
    pl_otel_alloc(moving->addr, moving->block->req);
    dmd_observed_put_back(&g_engine, moving->addr, moving->block, req);
  } else if (!dmd_observed_end_realloc(&g_engine, thread->number, moving->addr, moving->block, addr,
                                       req, usable))
    g_is_complete = false;
  pl_unlock(thread);
  thread->fastpath.not_newest = ~addr;
}

/* If begin could not enter, the thread runs a handler that interrupted the engine, so end cannot
 * enter either: both become notes. */
void pl_record_realloc_end(const pl_entry_t *entry, const pl_moving_t *moving, void *p,
                           size_t req) {
  pl_thread_t *thread = pl_thread();
  if (moving->block == NULL || moving->start != g_start) {
    if (p != NULL && !pl_passes(p, req))
      pl_record_block(entry, p, req);
    return;
  }
  if (!enter(thread, entry))
    return;
  uint64_t usable = p == NULL ? 0 : pl_usable_size((uintptr_t)p);
  thread->stack = moving->stack;
  record_moved(thread, moving, p, req, usable);
  pl_leave(thread);
}

PL_REPLACE(void *, reallocarray, (void *p, size_t n, size_t szB)) {
  pl_entry_t entry = PL_ENTRY(reallocarray);
  size_t all_szB;
  if (__builtin_mul_overflow(n, szB, &all_szB)) {
    errno = ENOMEM;
    return NULL;
  }
  return pl_resize(&entry, p, all_szB);
}

/* ---- The other allocation functions ---- */

/* Either factor may be a negative number. calloc itself handles an overflowing product. */
PL_REPLACE(void *, calloc, (size_t n, size_t szB)) {
  pl_entry_t entry = PL_ENTRY(calloc);
  size_t larger = n > szB ? n : szB, all_szB;
  if (__builtin_mul_overflow(n, szB, &all_szB)) {
    all_szB = SIZE_MAX;
    larger = 0;
  }
  if (is_early())
    return pl_early_alloc(1, all_szB);
  void *p = g_real.calloc(n, szB);
  return pl_record_alloc(&entry, p, p == NULL ? larger : all_szB);
}

PL_REPLACE(void *, memalign, (size_t alignB, size_t szB)) {
  pl_entry_t entry = PL_ENTRY(memalign);
  if (is_early())
    return pl_early_alloc(alignB, szB);
  return pl_record_new(&entry, g_real.memalign(alignB, szB), szB);
}

PL_REPLACE(void *, aligned_alloc, (size_t alignB, size_t szB)) {
  pl_entry_t entry = PL_ENTRY(aligned_alloc);
  if (is_early())
    return pl_early_alloc(alignB, szB);
  return pl_record_new(&entry, g_real.aligned_alloc(alignB, szB), szB);
}

PL_REPLACE(int, posix_memalign, (void **p, size_t alignB, size_t szB)) {
  pl_entry_t entry = PL_ENTRY(posix_memalign);
  if (is_early()) {
    *p = pl_early_alloc(alignB, szB);
    return 0;
  }
  int error = g_real.posix_memalign(p, alignB, szB);
  pl_record_new(&entry, error == 0 ? *p : NULL, szB);
  return error;
}

PL_REPLACE(void *, valloc, (size_t szB)) {
  pl_entry_t entry = PL_ENTRY(valloc);
  if (is_early())
    return pl_early_alloc(1, szB);
  return pl_record_new(&entry, g_real.valloc(szB), szB);
}

size_t pl_whole_pages(size_t szB) {
  size_t page_szB = (size_t)sysconf(_SC_PAGESIZE), rest_szB = szB % page_szB;
  return rest_szB == 0 ? szB : szB - rest_szB + page_szB;
}

PL_REPLACE(void *, pvalloc, (size_t szB)) {
  pl_entry_t entry = PL_ENTRY(pvalloc);
  if (is_early())
    return pl_early_alloc(1, szB);
  return pl_record_new(&entry, g_real.pvalloc(szB), pl_whole_pages(szB));
}

/* ---- Usable sizes ---- */

void pl_record_query(const pl_entry_t *entry, const void *p) {
  pl_thread_t *thread = pl_thread();
  if (g_state == PL_WATCHING && (!dmd_observed_wants_size(&g_engine, &thread->fastpath) ||
                                 dmd_live_passed_over(&g_engine.live, (uintptr_t)p)))
    return;
  if (!enter(thread, entry))
    return;
  if (g_engine.rules.report)
    pl_lock_with_stack(thread);
  else
    pl_lock();
  dmd_engine_usable_size(&g_engine, thread->number, (uintptr_t)p);
  pl_unlock(thread);
  pl_leave(thread);
}

PL_REPLACE(size_t, malloc_usable_size, (void *p)) {
  if (p == NULL)
    return 0;
  if (__builtin_expect(passes_free(p), 0))
    return g_real.malloc_usable_size(p);
  pl_entry_t entry = PL_ENTRY(malloc_usable_size);
  if (pl_early_has(p))
    return pl_early_size(p);
  if (is_early())
    return 0;
  pl_record_query(&entry, p);
  return g_real.malloc_usable_size(p);
}
