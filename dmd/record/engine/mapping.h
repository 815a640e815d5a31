/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mapping.h: the program maps memory.
 *
 * Only what the program maps itself is recorded: not what the loader, the C library or an allocator
 * maps for its own purposes. The stack tells: it has the loader's or the allocator's functions, or
 * the C library's below the function that maps.
 *
 * Stacks of threads are apart: their address space is large, and mostly unused. A stack is there
 * from the start of its thread to its end; what the C library keeps for later threads does not
 * count.
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

/* A thread is about to begin, or begins, with a stack of szB bytes, of which the last page has
 * the byte before `high`. stack: of the thread that creates it. dmd_engine_end_thread removes it.
 */
void dmd_engine_map_stack(dmd_engine_t *engine, uint32_t thread, uint64_t high, uint64_t szB,
                          uint32_t stack);

void dmd_engine_unmap(dmd_engine_t *engine, uint64_t addr, uint64_t szB);

/* mremap moved szB bytes. */
void dmd_engine_remap(dmd_engine_t *engine, uint64_t from, uint64_t to, uint64_t szB);

/* DMD_REPORT_MAPPED: returns the bytes that the range has of such memory. */
uint64_t dmd_engine_report_mapped(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                  uint64_t szB);

#endif
