/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_heap.h: which parts of the address space are the allocator's, or ours: what lies there leads
 * to no block, for the program cannot get there but by way of its blocks.
 *
 * What the allocator keeps beside the blocks points to blocks that are free, or to the end of one
 * that is not; and a block that was freed still has in it what the program wrote. Memory that the
 * C library's allocator took is known by what it writes in front of each block: a mapping of its
 * own, an arena, or the heap at the program's break. Of its lists of free blocks in the C library's
 * data, the shape is known. Of another allocator whole mappings count in which a block lies.
 *
 * Concurrency: the thread that stopped the others (pl_stop.h).
 */
#ifndef DMD_PRELOAD_PL_HEAP_H
#define DMD_PRELOAD_PL_HEAP_H

#include "base/pool.h"
#include "preload/pl_lines.h"
#include "preload/pl_memory.h"

/* Adds to an empty pool of pl_range_t what is so, in ascending order and apart from each other.
 * mappings: a pool of pl_mapping_t, of all that is mapped, in ascending order. */
void pl_heap_find(dmd_pool_t *ranges, const dmd_pool_t *mappings);

#endif
