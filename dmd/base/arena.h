/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * arena.h: an allocator over memory that grows at its end, such as a WebAssembly program's, or by
 * further regions anywhere.
 *
 * Allocating and freeing take a bounded number of steps. Overhead: 8 bytes per piece if size_t has
 * 4 bytes. Free neighbours are merged, so free memory is lost only between pieces in use. Results
 * are aligned to 8 bytes (16 if size_t has 8), which is enough for the core's objects.
 */
#ifndef DMD_BASE_ARENA_H
#define DMD_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DMD_ARENA_SMALL_LISTS = 64, DMD_ARENA_LISTS = DMD_ARENA_SMALL_LISTS + 4 * 55 };

typedef struct dmd_arena {
  /* Extends the last region at its end by at least szB bytes; returns by how many, a multiple of
   * 16, or 0 if out of memory. NULL: regions do not grow. */
  size_t (*grow)(void *ctx, size_t szB);
  void *ctx;
  char *end; /* address of the last region's last header, which is never free */
  uint64_t any[(DMD_ARENA_LISTS + 63) / 64];
  struct dmd_arena_piece *list[DMD_ARENA_LISTS];
} dmd_arena_t;

/* The initial memory is szB bytes from `start` on. Both are multiples of 16; szB is at least 64. */
void dmd_arena_init(dmd_arena_t *memory, void *start, size_t szB,
                    size_t (*grow)(void *ctx, size_t szB), void *ctx);

/* Adds a region; the same rules hold as for the initial memory. */
void dmd_arena_add_region(dmd_arena_t *memory, void *start, size_t szB);

/* Returns szB > 0 bytes, or NULL if out of memory. */
void *dmd_arena_alloc(dmd_arena_t *memory, size_t szB);

/* Frees memory from alloc; p may be NULL. */
void dmd_arena_free(dmd_arena_t *memory, void *p);

/* Whether an arena handed out p, for a host that also has other memory. In that memory, the word in
 * front of p must be even. */
static inline bool dmd_arena_is_piece(const void *p) {
  return ((const size_t *)p)[-1] & 1;
}

/* Returns the number of free bytes of a region, headers included; *good: whether the arena's
 * invariants hold. Walks through the region's pieces, from the `start` that init or add_region got.
 * For tests. */
size_t dmd_arena_check(const dmd_arena_t *memory, const void *start, bool *good);

#endif
