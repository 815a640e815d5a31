/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mapping.h: the program maps memory.
 *
 * Only what the program maps itself is recorded: not what the loader, the C library or an allocator
 * maps for its own purposes. The stack tells: it has the loader's or the allocator's functions, or
 * the C library's below the function that maps.
 *
 * Concurrency: as for engine.h; the caller holds the engine lock.
 */
#ifndef DMD_RECORD_ENGINE_MAPPING_H
#define DMD_RECORD_ENGINE_MAPPING_H

#include "record/engine/engine.h"

/* The current stack begins with the function that maps, such as mmap. */
void dmd_engine_map(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB);

/* brk maps memory. The stack begins with brk, or with functions of the C library that call it. */
void dmd_engine_map_break(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB);

void dmd_engine_unmap(dmd_engine_t *engine, uint64_t addr, uint64_t szB);

/* mremap moved szB bytes. */
void dmd_engine_remap(dmd_engine_t *engine, uint64_t from, uint64_t to, uint64_t szB);

/* DMD_REPORT_MAPPED: returns the bytes that the range has of such memory. */
uint64_t dmd_engine_report_mapped(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                  uint64_t szB);

#endif
