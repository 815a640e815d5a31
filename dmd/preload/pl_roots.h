/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_roots.h: what the program reaches its blocks from (engine/host.h): its mappings, by
 * /proc/self/maps, and its threads, as they stopped (pl_stop.h).
 *
 * Nothing here asks the loader, whose lock a thread that stopped may have. Code that is not known
 * yet is unwound no further.
 *
 * Concurrency: the thread that stops the others, with the engine lock and those of all blocks.
 */
#ifndef DMD_PRELOAD_PL_ROOTS_H
#define DMD_PRELOAD_PL_ROOTS_H

#include "engine/host.h"

/* As engine/host.h has them. */
void pl_roots_stop(void *ctx);
void pl_roots_go_on(void *ctx);
void pl_roots_mappings(void *ctx, dmd_mapping_fn visit, void *visitor);
void pl_roots_threads(void *ctx, dmd_thread_fn visit, void *visitor);

/* The same: around reads of memory; and, as live/memory.h has it, whether they are worth while. */
void pl_roots_begin_reading(void *ctx);
void pl_roots_end_reading(void *ctx);
bool pl_roots_holds(void *ctx, uint64_t addr, size_t n, bool *holds);

#endif
