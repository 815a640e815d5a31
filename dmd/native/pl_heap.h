/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_heap.h: finds the parts of the address space that belong to the allocator or to the engine.
 * Pointers there are ignored, since the program reaches that memory only through its blocks.
 *
 * The C library's allocator is known in detail. With another allocator, every mapping that contains
 * a block counts as the allocator's.
 *
 * Concurrency: the thread that stopped the others (pl_stop.h).
 */
#ifndef DMD_NATIVE_PL_HEAP_H
#define DMD_NATIVE_PL_HEAP_H

#include "base/pool.h"
#include "native/pl_lines.h"
#include "native/pl_memory.h"

/* Fills an empty pool of pl_range_t with these ranges, in ascending order, without overlaps.
 * mappings: a pool of pl_mapping_t with all mappings of the process, in ascending order. */
void pl_heap_find(dmd_pool_t *ranges, const dmd_pool_t *mappings);

#endif
