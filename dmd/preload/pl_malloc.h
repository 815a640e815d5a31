/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_malloc.h: the C library's functions of allocation, in front of the program's own.
 *
 * Each does what the program's function does, by calling it, and tells the engine (pl_event.h):
 * that a block is there after it came, that it goes before it went, so that no other thread can get
 * its address in between.
 *
 * Concurrency: any thread, signal handlers too as far as the program's allocator allows that.
 */
#ifndef DMD_PRELOAD_PL_MALLOC_H
#define DMD_PRELOAD_PL_MALLOC_H

#include "preload/pl_event.h"
#include "preload/pl_real.h"

/* Whether a block that the program's allocator gave is none that is to be told, with
 * --sample-interval; the same of what is to be freed. This is all that most calls cost then, so
 * that it is asked before anything else is made. */
static inline bool pl_passes(const void *p, size_t szB) {
  return p != NULL && dmd_countdown_passes(&pl_thread()->countdown, szB);
}

static inline bool pl_passes_free(const void *p) {
  return pl_is_passed_over(pl_thread(), (uintptr_t)p) && !pl_early_has(p);
}

/* Tells of a block that the program's allocator gave, or, where it is NULL, that it gave none. */
static inline void *pl_told(const pl_entry_t *entry, void *p, size_t szB) {
  if (__builtin_expect(p == NULL, 0))
    pl_tell_failure(entry, szB);
  else if (!pl_passes(p, szB))
    pl_tell_alloc(entry, p, szB);
  return p;
}

/* As realloc, and tells it. */
void *pl_resize(const pl_entry_t *entry, void *p, size_t szB);

/* What whoever calls pvalloc asks for. */
size_t pl_whole_pages(size_t szB);

/* Where a function of ours begins, and its name; NULL for an address of none. */
uint64_t pl_function_address(pl_in_t in);
const char *pl_function_name(uint64_t address);

#endif
