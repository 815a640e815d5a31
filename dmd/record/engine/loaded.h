/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * loaded.h: detects which allocator the program has loaded, whose usable sizes it then gets.
 *
 * With --allocator=auto the model is that of the allocator that the program would use without dmd.
 * The search happens at the program's first allocation: by then ld.so has mapped all linked and
 * preloaded libraries (what it allocates before comes from an allocator of its own, which nothing
 * replaces), and an allocator loaded later cannot take malloc's place. From then on the model
 * (model/profile/allocator.h) is fixed, also in forked children.
 */
#ifndef DMD_RECORD_ENGINE_LOADED_H
#define DMD_RECORD_ENGINE_LOADED_H

#include "record/engine/engine.h"

/* The slow path of dmd_engine_settle_allocator. */
void dmd_engine_find_allocator(dmd_engine_t *engine);

/* Searches unless that was done. Call before the first block and before a dump. */
static inline void dmd_engine_settle_allocator(dmd_engine_t *engine) {
  if (__builtin_expect(!engine->is_allocator_settled, 0))
    dmd_engine_find_allocator(engine);
}

#endif
