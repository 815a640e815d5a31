/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_memory.h: the engine's own memory, separate from the program's allocator.
 *
 * Small pieces come from an arena (base/arena.h) whose regions are mapped as it fills. Large ones
 * are mappings of their own, unmapped when they are freed. At most an eighth of the arena's size
 * and a reserve are mapped ahead, so that the program can use what its limits (RLIMIT_AS,
 * RLIMIT_DATA) leave.
 *
 * The core's allocator cannot fail (base/env.h). When the system runs out of memory, the current
 * event is served from the reserve, and its thread stops all recording when it leaves the engine
 * (pl_memory_when_short). The reserve has room for every table that may double next. A dump may
 * need more, so it runs under pl_memory_try, as does the engine's start. If the reserve is too
 * small in any other case, such as when the tables of several threads double at this moment, the
 * process ends with a message.
 *
 * Concurrency: any thread, at any time except in a signal handler. Its one lock comes after all
 * others.
 */
#ifndef DMD_NATIVE_PL_MEMORY_H
#define DMD_NATIVE_PL_MEMORY_H

#include "base/env.h"

#include <stdbool.h>

extern const dmd_env_t g_env;

/* The function that a thread calls when it leaves the engine after memory ran out. */
void pl_memory_when_short(void (*call)(uint64_t unused));

/* Calls what(ctx). Returns false if memory ran out, in which case what was left by longjmp: locks
 * that it took stay taken, and data that it was changing is half changed. */
bool pl_memory_try(void (*what)(void *ctx), void *ctx);

/* Whether an address is in the engine's memory, used or not. Walks over all mappings. */
bool pl_memory_has(uint64_t addr);

/* Bytes of the engine's memory without the reserve: a little more than it has touched. */
uint64_t pl_memory_szB(void);

/* Lists the address ranges of the engine's memory, as many as there is room for, and returns how
 * many there are. */
typedef struct pl_range {
  uint64_t start, end;
} pl_range_t;

uint32_t pl_memory_ranges(pl_range_t *ranges, uint32_t room);

/* Around fork: takes the lock before it and releases it after it, in both processes. */
void pl_memory_fork_begin(void);
void pl_memory_fork_end(void);

#endif
