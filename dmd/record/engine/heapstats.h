/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heapstats.h: what the allocator's own statistics functions answer, for a host that replaces the
 * program's allocator: mallinfo, malloc_info, malloc_stats, and jemalloc's "stats.allocated".
 *
 * The numbers follow from the live blocks by the model of the allocator
 * (model/profile/allocator.h), so they are those of a heap that was never freed from: the real
 * glibc also counts freed blocks in a thread's cache as in use, and has more free memory, or
 * several arenas, after a while.
 *
 * Cost: a walk over all blocks.
 */
#ifndef DMD_RECORD_ENGINE_HEAPSTATS_H
#define DMD_RECORD_ENGINE_HEAPSTATS_H

#include "record/engine/engine.h"

/* As in struct mallinfo; sizes in bytes. All 0 where the allocator has no such function, so that
 * the C library's own, unused heap answers. */
typedef struct dmd_heapstats {
  uint64_t arena;    /* memory from the system, apart from mappings of single blocks */
  uint64_t ordblks;  /* number of free pieces in it */
  uint64_t hblks;    /* number of blocks with mappings of their own */
  uint64_t hblkhd;   /* bytes in these mappings */
  uint64_t uordblks; /* bytes of the other blocks, with the allocator's words in front of them */
  uint64_t fordblks; /* free bytes in the arena */
  uint64_t usable;   /* usable bytes of all blocks, for every allocator */
} dmd_heapstats_t;

dmd_heapstats_t dmd_engine_heapstats(dmd_engine_t *engine);

/* Appends what glibc's malloc_info writes, or malloc_stats prints. */
void dmd_heapstats_info(const dmd_heapstats_t *stats, dmd_strbuf_t *text);
void dmd_heapstats_print(const dmd_heapstats_t *stats, dmd_strbuf_t *text);

#endif
