/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * snapshot.h: makes a profile of the live heap.
 *
 * Adds the blocks (in cumulative mode the historical groups) to the profile's groups: the groups of
 * one stack together, stacks in the order in which a walk of the heap finds them. In mode scan
 * blocks are added one by one in address order, with their contents. Takes 8 bytes a block. The
 * live state is not changed.
 *
 * Concurrency: the live state must not change meanwhile: the caller holds all locks (live.h).
 */
#ifndef DMD_RECORD_HEAP_SNAPSHOT_H
#define DMD_RECORD_HEAP_SNAPSHOT_H

#include "record/heap/blockreferrers.h"

/* Adds the host's stack with this id to the profile (dmd_profile_stack) and returns its id there.
 * Called once for each distinct stack. */
typedef uint32_t (*dmd_resolve_fn)(void *ctx, dmd_profile_t *profile, uint32_t stack);

/* Fills an initialised, empty profile: mode, blocks, faults, memory reports, the totals of `run`,
 * memory.heap_allocated, and the hints of dmd_blockreferrers_find, for which it reads the program's
 * memory (memory NULL: no hints). The caller fills in what only the host knows (pid, command,
 * label, resident memory ...). Returns the usable bytes of the allocator's blocks: heap_allocated
 * minus announced blocks. In mode scan it reads the contents of all blocks; if memory is NULL, it
 * makes a profile of mode live instead. Blocks do not overlap in mode scan: a block announced
 * within another is part of that one's contents. */
uint64_t dmd_snapshot_take(const dmd_live_t *live, const dmd_memory_t *memory,
                           dmd_profile_t *profile, dmd_resolve_fn resolve, void *ctx);

#endif
