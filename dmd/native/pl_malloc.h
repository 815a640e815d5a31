/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_malloc.h: replacements for the C library's allocation functions, and what the replacements of
 * other allocation functions share with them.
 *
 * Each calls the program's own function and records the event in the engine (pl_enter.h). An
 * allocation is recorded after the call and a free before it, so that no other thread can get the
 * address in between.
 *
 * With --sample-interval only some blocks are recorded. For each free, realloc or size query, a
 * Bloom filter (record/heap/bloom.h) tells whether the block may have been sampled. Any other
 * address may belong to an unsampled block, so it is never reported as an error.
 *
 * Concurrency: any thread, and signal handlers as far as the program's allocator allows that.
 */
#ifndef DMD_NATIVE_PL_MALLOC_H
#define DMD_NATIVE_PL_MALLOC_H

#include "native/pl_options.h"
#include "native/pl_real.h"
#include "native/pl_state.h"

/* With sampling, whether to skip a block that was just allocated. Most calls cost no more than this
 * check, so callers make it first. */
static inline bool pl_passes(const void *p, size_t szB) {
  pl_thread_t *thread = pl_thread();
  return p != NULL && dmd_countdown_passes(&thread->countdown, szB) && thread->start == g_start;
}

/* Records a block that is not skipped, and a size that the allocator refused. */
void pl_record_block(const pl_entry_t *entry, void *p, size_t szB);
void pl_record_failure(const pl_entry_t *entry, size_t szB);

/* Records the block that the program's allocator returned, or its failure if p is NULL. Returns
 * p. */
static inline void *pl_record_alloc(const pl_entry_t *entry, void *p, size_t szB) {
  if (__builtin_expect(p == NULL, 0))
    pl_record_failure(entry, szB);
  else if (!pl_passes(p, szB))
    pl_record_block(entry, p, szB);
  return p;
}

/* With --fill=yes fills a block behind the bytes that it has from before. Call when it is recorded:
 * then the options have been read. */
void pl_fill(void *p, size_t kept_szB);

/* As pl_record_alloc, of memory from which the program expects nothing. */
static inline void *pl_record_new(const pl_entry_t *entry, void *p, size_t szB) {
  pl_record_alloc(entry, p, szB);
  if (__builtin_expect(g_options.fill, 0))
    pl_fill(p, 0);
  return p;
}

/* The program is about to free p. Returns false if no block is known there: the caller must then
 * not free it, which spares the program its allocator's reaction, as under Valgrind. */
bool pl_record_free(const pl_entry_t *entry, void *p);

/* A realloc: call begin before it, and end after it with its result, NULL if it failed for szB
 * bytes. If begin returns false, no block is known there and the caller must not reallocate it.
 * begin fills in moving for end. The thread may record other events in between. */
typedef struct pl_moving {
  dmd_block_t *block; /* the block to reallocate; NULL: unknown address */
  uint64_t addr;
  uint32_t stack;
  uint32_t start; /* the engine's start (pl_state.h) that knows the block */
} pl_moving_t;

bool pl_record_realloc_begin(const pl_entry_t *entry, void *p, size_t szB, pl_moving_t *moving);
void pl_record_realloc_end(const pl_entry_t *entry, const pl_moving_t *moving, void *p, size_t szB);

/* ---- For functions that stand in for others ---- */

/* As realloc, and records it. */
void *pl_resize(const pl_entry_t *entry, void *p, size_t szB);

/* The program asks for the usable size of the block at p, which a measuring function may use. */
void pl_record_query(const pl_entry_t *entry, const void *p);

/* The size that pvalloc allocates for szB: rounded up to whole pages. */
size_t pl_whole_pages(size_t szB);

/* Functions that stacks show for others, too. */
extern const pl_function_t pl_function_malloc, pl_function_calloc, pl_function_memalign,
    pl_function_valloc, pl_function_pvalloc, pl_function_realloc, pl_function_free;

#endif
