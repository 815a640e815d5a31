/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * allocation.h: the program's allocator, for a host that replaces it, and blocks that the program
 * announces.
 *
 * A host that replaces malloc and its relatives calls these functions in their place. They return
 * the sizes that the program's own allocator would (model/profile/allocator.h), take memory from
 * the host, for small blocks from slabs (record/heap/slabs.h), and record the blocks. A host whose
 * program keeps its own allocator (`heap_alloc` is NULL) uses observed.h instead; it may also call
 * dmd_engine_announce and the functions below that, which work with any memory.
 *
 * The host's heap is in the engine's own address space: calloc and realloc write to it.
 *
 * With --fill=yes memory is filled with a pattern before the program gets it, so that a heap graph
 * knows what was never written. Memory that the program expects to be zero, and the part of a block
 * that realloc keeps, is as it is without; the memory of announced blocks is left alone.
 *
 * Program errors (freeing a non-block, requesting a negative size) count as faults, and the first
 * one at each place is logged at once, since the program may not live until a dump.
 *
 * Cost: allocations dominate most programs. Beyond the work of live/, these functions call the host
 * twice, once for the stack; a small block needs no call for memory.
 */
#ifndef DMD_RECORD_ENGINE_ALLOCATION_H
#define DMD_RECORD_ENGINE_ALLOCATION_H

#include "record/engine/engine.h"

/* Counts a fault of the program. If it is the first of its kind at this place, logs `<kind>: <what>
 * 0x<number>`. */
void dmd_engine_say_fault(dmd_engine_t *engine, uint32_t thread, dmd_fault_kind_t kind,
                          const char *what, uint64_t number);

/* The allocator could not give the program so many bytes, a possible size. With --dump-at-failure
 * dmd_engine_dump_due counts a fault, and makes a dump if it is the first one at this place. May be
 * called again for the same failure. */
void dmd_engine_note_failure(dmd_engine_t *engine, uint32_t thread, uint64_t szB);

/* The stack of a thread that frees, if it is needed; else DMD_NONE. */
static inline uint32_t dmd_engine_capture_free(const dmd_engine_t *engine, uint32_t thread) {
  return dmd_live_wants_stack_of_free(&engine->live) ? dmd_engine_capture(engine, thread)
                                                     : DMD_NONE;
}

/* Return the address of at least szB bytes; 0 if there is no memory or the size is absurd. The host
 * has checked that n * szB does not overflow. */
uint64_t dmd_engine_malloc(dmd_engine_t *engine, uint32_t thread, uint64_t szB);
uint64_t dmd_engine_calloc(dmd_engine_t *engine, uint32_t thread, uint64_t n, uint64_t szB);

/* Describes a new block, with its stack if needed. */
dmd_new_block_t dmd_engine_describe_block(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                          uint64_t req_szB, uint64_t usable_szB);

/* Adds a block whose memory already exists, with these requested and usable bytes. */
void dmd_engine_add_block(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t req_szB,
                          uint64_t usable_szB);

/* asked: the alignment that the program requested; 0 or not a power of two if unknown. granted: the
 * power of two that suits both the program and the host. */
typedef struct dmd_alignment {
  uint64_t asked, granted;
} dmd_alignment_t;

/* memalign and its relatives; an aligned operator new, whose C++ library may round up the size. */
uint64_t dmd_engine_memalign(dmd_engine_t *engine, uint32_t thread, uint64_t szB,
                             dmd_alignment_t align);
uint64_t dmd_engine_new_aligned(dmd_engine_t *engine, uint32_t thread, uint64_t szB,
                                dmd_alignment_t align);

/* Any form of free and delete, also for announced blocks; does nothing for address 0. */
void dmd_engine_free(dmd_engine_t *engine, uint32_t thread, uint64_t addr);

/* The block stays in place if it fits and uses at least half of its room; else it moves, and gets
 * some room to grow if it outgrew slabs. The host decides what happens for size 0. Returns 0 if
 * there is no memory; the block is then unchanged. */
uint64_t dmd_engine_realloc(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB);

/* malloc_usable_size; a report if rules say so. */
uint64_t dmd_engine_usable_size(dmd_engine_t *engine, uint32_t thread, uint64_t addr);

/* ---- Announced blocks. ----
 *
 * The program announces blocks of its own allocator with VALGRIND_MALLOCLIKE_BLOCK and related
 * macros. They have no slop: their usable size is the program's business. */

/* The size to record for an announced block: 0, and a fault, if szB is impossible. */
uint64_t dmd_engine_announced_size(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                   uint64_t szB);

/* flags: DMD_BLOCK_... in addition to that of all announced blocks. */
void dmd_engine_announce_as(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB,
                            uint32_t flags);

static inline void dmd_engine_announce(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                       uint64_t szB) {
  dmd_engine_announce_as(engine, thread, addr, szB, 0);
}

/* Counts a fault and does nothing if no block of old_szB bytes starts at addr, or if the new size
 * is 0 or impossible. */
void dmd_engine_resize_announced(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                 uint64_t old_szB, uint64_t new_szB);

/* ---- jemalloc's own functions, beyond those of the C library, as jemalloc(3) describes them. ----
 *
 * flags are those of the MALLOCX_ macros: the lowest six bits are the logarithm of the alignment,
 * the next one requests zeroed memory. The others choose arenas and thread caches, which make no
 * difference here. Sizes follow the model in use (model/profile/allocator.h), whichever it is:
 * tcmalloc has nallocx and sdallocx, too.
 *
 * dallocx and sdallocx are dmd_engine_free, sallocx is dmd_engine_usable_size.
 */

/* Return an address; 0 if there is no memory or the size is absurd. */
uint64_t dmd_engine_mallocx(dmd_engine_t *engine, uint32_t thread, uint64_t szB, uint32_t flags);
uint64_t dmd_engine_rallocx(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB,
                            uint32_t flags);

/* Returns the block's usable size afterwards. */
uint64_t dmd_engine_xallocx(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB,
                            uint64_t extra_szB, uint32_t flags);

/* The usable size that mallocx would give; 0 if the size or the alignment exceeds a quarter of the
 * address space. */
uint64_t dmd_engine_nallocx(dmd_engine_t *engine, uint64_t szB, uint32_t flags);

#endif
