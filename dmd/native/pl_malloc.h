/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_malloc.h: replacements for the C library's allocation functions.
 *
 * Each calls the program's own function and records the event in the engine (pl_event.h). An
 * allocation is recorded after the call and a free before it, so that no other thread can get the
 * address in between.
 *
 * Concurrency: any thread, and signal handlers as far as the program's allocator allows that.
 */
#ifndef DMD_NATIVE_PL_MALLOC_H
#define DMD_NATIVE_PL_MALLOC_H

#include "native/pl_event.h"
#include "native/pl_real.h"

/* Whether a block is to be skipped with --sample-interval: pl_passes for one just allocated,
 * pl_passes_free for one about to be freed. With sampling, most calls cost no more than this check,
 * so callers make it first. */
static inline bool pl_passes(const void *p, size_t szB) {
  return p != NULL && dmd_countdown_passes(&pl_thread()->countdown, szB);
}

static inline bool pl_passes_free(const void *p) {
  return pl_is_passed_over(pl_thread(), (uintptr_t)p) && !pl_early_has(p);
}

/* Records the block that the program's allocator returned, or its failure if p is NULL. */
static inline void *pl_told(const pl_entry_t *entry, void *p, size_t szB) {
  if (__builtin_expect(p == NULL, 0))
    pl_tell_failure(entry, szB);
  else if (!pl_passes(p, szB))
    pl_tell_alloc(entry, p, szB);
  return p;
}

/* As realloc, and records it. */
void *pl_resize(const pl_entry_t *entry, void *p, size_t szB);

/* The size that pvalloc allocates for szB: rounded up to whole pages. */
size_t pl_whole_pages(size_t szB);

/* Our replacements that stacks show for other functions, too. */
extern const pl_function_t pl_function_malloc, pl_function_calloc, pl_function_memalign,
    pl_function_valloc, pl_function_pvalloc, pl_function_realloc, pl_function_free;

#endif
