/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_memory.h: the engine's own memory, which is none of the program's allocator.
 *
 * Small pieces come from an arena (base/arena.h) in a range of address space that is reserved at
 * the start and taken into use as it fills; large ones, and all where the range is full, are
 * mappings of their own, which go back to the system when they are freed. A program that runs under
 * a limit of its address space (ulimit -v) has a small range.
 *
 * Where the system has no memory left, the process ends with a message: the engine cannot go on
 * without a record of a block, and the core has no way to say so.
 *
 * Concurrency: any thread, at any time but in a signal handler; one lock, after all others.
 */
#ifndef DMD_PRELOAD_PL_MEMORY_H
#define DMD_PRELOAD_PL_MEMORY_H

#include "base/env.h"

#include <stdbool.h>

extern const dmd_env_t g_env;

/* Whether an address is in it, in use or not. A walk over all large pieces. */
bool pl_memory_has(uint64_t addr);

/* Writes down the pieces of address space that it has, as many as there is room for, and answers
 * how many there are. */
typedef struct pl_range {
  uint64_t start, end;
} pl_range_t;

uint32_t pl_memory_ranges(pl_range_t *ranges, uint32_t room);

/* In a fork: the lock is taken before, and free after it, in both processes. */
void pl_memory_fork_begin(void);
void pl_memory_fork_end(void);

#endif
