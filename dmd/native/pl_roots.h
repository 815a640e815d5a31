/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_roots.h: the roots from which the program reaches its blocks (record/host.h): its mappings,
 * from /proc/self/maps, and its threads as they stopped (pl_stop.h).
 *
 * The loader is never asked here, since a stopped thread may hold its lock. Walks end at code that
 * is not known yet.
 *
 * Concurrency: the thread that stopped the others, with the engine lock and those of all blocks
 * held.
 */
#ifndef DMD_NATIVE_PL_ROOTS_H
#define DMD_NATIVE_PL_ROOTS_H

#include "record/host.h"

/* As described in record/host.h. */
void pl_roots_stop(void *ctx);
void pl_roots_go_on(void *ctx);
void pl_roots_mappings(void *ctx, dmd_mapping_fn visit, void *visitor);
void pl_roots_threads(void *ctx, dmd_thread_fn visit, void *visitor);

/* Likewise: around reads of memory; and whether a range is worth reading, as described in
 * record/heap/pages.h. */
void pl_roots_begin_reading(void *ctx);
void pl_roots_end_reading(void *ctx);
bool pl_roots_holds(void *ctx, uint64_t addr, size_t n, bool *holds);

#endif
