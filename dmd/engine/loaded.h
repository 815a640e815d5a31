/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * loaded.h: which allocator the program has loaded, and so whose usable sizes it gets.
 *
 * With --allocator=auto the model is that of the allocator that the program would use if nobody
 * replaced it. We look at the program's first allocation: ld.so has then mapped all libraries that
 * the program is linked with or that are preloaded (what it allocates before comes from an
 * allocator of its own, which nothing replaces), and an allocator that is loaded later cannot take
 * malloc's place. From then on the model (live/allocator.h) stays as it is, in forked children too.
 *
 * Concurrency: that of the engine (engine.h).
 */
#ifndef DMD_ENGINE_LOADED_H
#define DMD_ENGINE_LOADED_H

#include "engine/engine.h"

/* The slow part of dmd_engine_settle_allocator. */
void dmd_engine_find_allocator(dmd_engine_t *engine);

/* Looks, where that has not been done. Call before the first block and before a dump. */
static inline void dmd_engine_settle_allocator(dmd_engine_t *engine) {
  if (__builtin_expect(!engine->is_allocator_settled, 0))
    dmd_engine_find_allocator(engine);
}

#endif
