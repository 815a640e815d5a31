/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * observed.h: the program's allocator, of a host that watches it and takes nothing over.
 *
 * Such a host lets the program's own functions do their work, and tells what they did. Sizes are
 * real ones: what the allocator answers to malloc_usable_size. Blocks are told in an order that
 * other threads cannot upset: one that comes after it is there, one that goes before it goes. Of a
 * realloc the block is taken out before, and afterwards it is let go, with a new one in its place,
 * or put back as it was.
 *
 * A free of what is no block may be the program's mistake, or the host has not seen where the block
 * came from. Only the host knows, and says so with the functions for it.
 *
 * Cost: as allocation.h. Concurrency: that of the engine (engine.h).
 */
#ifndef DMD_ENGINE_OBSERVED_H
#define DMD_ENGINE_OBSERVED_H

#include "engine/engine.h"

/* A block came. False: another one was known there, whose end was not told; it is forgotten. */
bool dmd_observed_alloc(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t req,
                        uint64_t usable);

/* A block goes. False: none is known there; it counts as a free all the same. */
bool dmd_observed_free(dmd_engine_t *engine, uint32_t thread, uint64_t addr);
void dmd_observed_say_invalid_free(dmd_engine_t *engine, uint32_t thread, uint64_t addr);

/* The block at addr is to be reallocated: it is out of the heap, and in *taken. False: there is
 * none; the host may say so. */
bool dmd_observed_take(dmd_engine_t *engine, uint64_t addr, dmd_block_t *taken);
void dmd_observed_say_invalid_realloc(dmd_engine_t *engine, uint32_t thread, uint64_t addr);

/* It was, at this stack: it is gone, and the new one is told next. Or that failed, for so many
 * bytes: it is there as before, reports and all, and a free and an allocation are counted. */
void dmd_observed_let_go(dmd_engine_t *engine, uint64_t addr, const dmd_block_t *taken,
                         uint32_t stack);
void dmd_observed_put_back(dmd_engine_t *engine, uint64_t addr, const dmd_block_t *taken,
                           uint64_t req);

#endif
