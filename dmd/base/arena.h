/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * arena.h: an allocator over memory that grows at its end, as a WebAssembly program's does.
 *
 * Memory is a row of pieces without gaps. In front of each stand its size and that of the one
 * before it, so that a free finds both neighbours, and no two free pieces are neighbours. Free
 * pieces are in lists by size: one for each multiple of 8 up to 512 bytes, above these four for
 * each power of two. A bit for each list says whether it has anything.
 *
 * Cost: a bounded number of steps to allocate and to free; 8 bytes a piece where a size has 4
 * bytes. What is free is only lost where pieces around it are in use.
 *
 * Memory that was handed out is aligned to 8 bytes (16 where a size has 8), which is all that the
 * core's objects want.
 *
 * Concurrency: nothing locks.
 */
#ifndef DMD_BASE_ARENA_H
#define DMD_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DMD_ARENA_SMALL_LISTS = 64, DMD_ARENA_LISTS = DMD_ARENA_SMALL_LISTS + 4 * 55 };

typedef struct dmd_arena {
  /* Makes memory larger by at least szB bytes at its end; how many those are, a multiple of 16. 0:
   * there is no more. */
  size_t (*grow)(void *ctx, size_t szB);
  void *ctx;
  char *end; /* of memory, where the last piece's header is, which is never free */
  uint64_t any[(DMD_ARENA_LISTS + 63) / 64];
  struct dmd_arena_piece *list[DMD_ARENA_LISTS];
} dmd_arena_t;

/* All memory so far is szB bytes from `start` on, both multiples of 16; szB is at least 64. */
void dmd_arena_init(dmd_arena_t *memory, void *start, size_t szB,
                    size_t (*grow)(void *ctx, size_t szB), void *ctx);

/* szB > 0 bytes; NULL where there are none left. */
void *dmd_arena_alloc(dmd_arena_t *memory, size_t szB);

/* Takes back what alloc gave; p may be NULL. */
void dmd_arena_free(dmd_arena_t *memory, void *p);

/* Bytes that are free, with the headers in them; whether all that is said above holds. Both walk
 * through all pieces, from the `start` that init got. For tests. */
size_t dmd_arena_check(const dmd_arena_t *memory, const void *start, bool *good);

#endif
