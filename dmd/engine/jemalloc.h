/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * jemalloc.h: the functions that jemalloc has beside those of the C library, as its manual page
 * jemalloc(3) describes them.
 *
 * flags are those of the MALLOCX_ macros: the lowest six bits are the logarithm of the alignment,
 * the next one asks for zeroed memory. All others choose among arenas and thread caches, which make
 * no difference here. Sizes are those of the model in use (live/allocator.h), whatever it is:
 * tcmalloc has nallocx and sdallocx too.
 *
 * dallocx and sdallocx are dmd_engine_free, sallocx is dmd_engine_usable_size.
 *
 * Concurrency: as of the engine.
 */
#ifndef DMD_ENGINE_JEMALLOC_H
#define DMD_ENGINE_JEMALLOC_H

#include "engine/engine.h"

/* Addresses; 0 where there is no memory, or where a size is absurd. */
uint64_t dmd_engine_mallocx(dmd_engine_t *engine, uint32_t thread, uint64_t szB, uint32_t flags);
uint64_t dmd_engine_rallocx(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB,
                            uint32_t flags);

/* What the block has usable afterwards. */
uint64_t dmd_engine_xallocx(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB,
                            uint64_t extra_szB, uint32_t flags);

/* What mallocx would give; 0 where the size or the alignment is more than there can be: a quarter
 * of all that a word can count. */
uint64_t dmd_engine_nallocx(dmd_engine_t *engine, uint64_t szB, uint32_t flags);

#endif
