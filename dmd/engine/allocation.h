/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * allocation.h: the program's allocator, of a host that stands in for it, and the blocks that the
 * program announces.
 *
 * A host that replaces malloc and its kin calls these functions for them. They give the sizes that
 * the program's own allocator would have given (live/allocator.h), take the memory from the host,
 * small blocks' from slabs (live/slabs.h), and keep what there is to know of the blocks. A host
 * whose program keeps its own allocator (`heap_alloc` is NULL) calls those of observed.h, and may
 * call dmd_engine_announce and what follows it, which work with any memory.
 *
 * Memory of the host's heap is in the engine's own address space: calloc and realloc write to it.
 *
 * What the program does wrong (frees what is not a block, asks for a negative size) is counted as a
 * fault, and told at once the first time that it happens at a place, since the program may not live
 * to see a dump.
 *
 * Cost: an allocation is what most programs do most. Beyond what live/ does these functions cost
 * two calls of the host's, one of them for the stack; of a small block the host is not asked for
 * memory.
 *
 * Concurrency: that of the engine (engine.h).
 */
#ifndef DMD_ENGINE_ALLOCATION_H
#define DMD_ENGINE_ALLOCATION_H

#include "engine/engine.h"

/* Counts a fault of the program's, and where it is the first of its kind at this place says
 * `<kind>: <what> 0x<number>`. */
void dmd_engine_say_fault(dmd_engine_t *engine, uint32_t thread, dmd_fault_kind_t kind,
                          const char *what, uint64_t number);

/* The stack of a thread that frees something, where it is wanted; else DMD_NONE. */
static inline uint32_t dmd_engine_capture_free(const dmd_engine_t *engine, uint32_t thread) {
  return dmd_live_wants_stack_of_free(&engine->live) ? dmd_engine_capture(engine, thread)
                                                     : DMD_NONE;
}

/* Addresses, of at least szB bytes; 0 where there is no memory, or where a size is absurd. A
 * product does not overflow: the host has checked that. */
uint64_t dmd_engine_malloc(dmd_engine_t *engine, uint32_t thread, uint64_t szB);
uint64_t dmd_engine_calloc(dmd_engine_t *engine, uint32_t thread, uint64_t n, uint64_t szB);

/* What is to be kept of a block, with its stack if one is wanted. */
dmd_new_block_t dmd_engine_describe_block(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                          uint64_t req_szB, uint64_t usable_szB);

/* Keeps a block for which there is memory already, with these bytes requested and usable. */
void dmd_engine_add_block(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t req_szB,
                          uint64_t usable_szB);

/* What a program may want of a block: a size, an alignment (a power of two; 1: none), and that what
 * is new of its memory, all that is usable, is zeroed. */
typedef struct dmd_wanted {
  uint64_t szB, alignB;
  bool zeroed;
} dmd_wanted_t;

uint64_t dmd_engine_allocate(dmd_engine_t *engine, uint32_t thread, dmd_wanted_t wanted);

/* An alignment as the program asked for it, 0 or no power of two where that is not known, and the
 * power of two that does for both the program and the host. */
typedef struct dmd_alignment {
  uint64_t asked, granted;
} dmd_alignment_t;

/* memalign and its kin; an aligned operator new, whose C++ library may round up the size. */
uint64_t dmd_engine_memalign(dmd_engine_t *engine, uint32_t thread, uint64_t szB,
                             dmd_alignment_t align);
uint64_t dmd_engine_new_aligned(dmd_engine_t *engine, uint32_t thread, uint64_t szB,
                                dmd_alignment_t align);

/* Every form of free and delete, of announced blocks too; of address 0 nothing. */
void dmd_engine_free(dmd_engine_t *engine, uint32_t thread, uint64_t addr);

/* The block stays where it is if it fits there and uses at least half of its room; else it moves,
 * and one that grew beyond what slabs hold gets some room to grow on. What becomes of a size of 0
 * the host says. 0 where there is no memory: the block is as it was. */
uint64_t dmd_engine_realloc(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB);

/* The same of a block, with all that may be wanted; a size of 0 is one like any other. What the
 * block grows by begins where its old usable bytes end. */
uint64_t dmd_engine_reallocate(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                               dmd_wanted_t wanted);

/* The block stays where it is, and gets wanted.szB bytes and up to extra_szB more, as many as there
 * is room for. Returns what is usable then. Where there is no room, or the allocator never resizes
 * such a block in place, it is left as it was. 0, and a fault, where there is no block. */
uint64_t dmd_engine_resize_in_place(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                    dmd_wanted_t wanted, uint64_t extra_szB);

/* What a block of that many bytes and this alignment would have usable. */
uint64_t dmd_engine_usable_of(dmd_engine_t *engine, uint64_t req_szB, uint64_t alignB);

/* malloc_usable_size: where rules want it, that is a report. */
uint64_t dmd_engine_usable_size(dmd_engine_t *engine, uint32_t thread, uint64_t addr);

/* ---- Announced blocks. ----
 *
 * The program announces blocks of an allocator of its own with VALGRIND_MALLOCLIKE_BLOCK and its
 * companions. They have no slop: what is usable is the program's own business. */

/* The size of a block that is announced. One that is impossible counts as 0 bytes, and is a fault.
 */
uint64_t dmd_engine_announced_size(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                   uint64_t szB);

/* With flags, DMD_BLOCK_..., beside that of all announced blocks. */
void dmd_engine_announce_as(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB,
                            uint32_t flags);

static inline void dmd_engine_announce(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                       uint64_t szB) {
  dmd_engine_announce_as(engine, thread, addr, szB, 0);
}

/* Refused, as a fault, where there is no block of this size, or where the new size is 0 or cannot
 * be. */
void dmd_engine_resize_announced(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                 uint64_t old_szB, uint64_t new_szB);

#endif
