/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * jemalloc.h: jemalloc's own functions, beyond those of the C library, as its manual page
 * jemalloc(3) describes them.
 *
 * flags are those of the MALLOCX_ macros: the lowest six bits are the logarithm of the alignment,
 * the next one requests zeroed memory. The others choose arenas and thread caches, which make no
 * difference here. Sizes follow the model in use (record/heap/allocator.h), whichever it is:
 * tcmalloc has nallocx and sdallocx, too.
 *
 * dallocx and sdallocx are dmd_engine_free, sallocx is dmd_engine_usable_size.
 */
#ifndef DMD_RECORD_ENGINE_JEMALLOC_H
#define DMD_RECORD_ENGINE_JEMALLOC_H

#include "record/engine/engine.h"

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
