/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * snapshot.h: makes a profile of the live heap.
 *
 * Adds the blocks (in cumulative mode the history of groups) to the profile's groups: those of one
 * stack one after the other, stacks in the order in which a walk of the heap comes to them. Takes 8
 * bytes a block. The live state is not changed. In mode scan blocks are added one by one, in the
 * order of their addresses, with what is in them.
 *
 * Concurrency: all of the live state stays as it is meanwhile, every lock of a finer kind held
 * (live.h).
 */
#ifndef DMD_LIVE_SNAPSHOT_H
#define DMD_LIVE_SNAPSHOT_H

#include "live/holders.h"

/* Adds the stack with this id, of the host's, to the profile (dmd_profile_stack) and returns its id
 * there. Called once for each distinct stack. */
typedef uint32_t (*dmd_resolve_fn)(void *ctx, dmd_profile_t *profile, uint32_t stack);

/* Fills an initialised, empty profile: mode, blocks, faults, memory reports, the totals of `run`,
 * memory.heap_allocated, and the advices of dmd_holders_find, for which it reads the program's
 * memory (NULL: none are wanted). What only the host knows (pid, command, label, resident memory
 * ...) is left for the caller to fill in. Returns the usable bytes of the blocks that the allocator
 * gave, which are those of heap_allocated less blocks that were announced.
 *
 * In mode scan it reads the memory for the contents of all blocks; where it is NULL, the profile is
 * one of mode live. Blocks do not overlap there: one that was announced within another is a part of
 * that one's contents. */
uint64_t dmd_snapshot_take(const dmd_live_t *live, const dmd_memory_t *memory,
                           dmd_profile_t *profile, dmd_resolve_fn resolve, void *ctx);

#endif
