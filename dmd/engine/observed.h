/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * observed.h: the program's allocator, of a host that watches it and takes nothing over.
 *
 * Such a host lets the program's own functions do their work, and tells what they did. Sizes are
 * real ones: what the allocator answers to malloc_usable_size. Blocks are told in an order that
 * other threads cannot upset: one that comes after it is there, one that goes before it goes. A
 * realloc is told before, when the block is marked, and after, when it is replaced, or put back as
 * it was.
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

/* The block at addr is to be reallocated; NULL: there is none, which the host may say. It is there
 * as it was, but has no address any more (live/blocks.h), and the pointer is good until one of the
 * next three is called with it. */
dmd_block_t *dmd_observed_begin_realloc(dmd_engine_t *engine, uint64_t addr);
void dmd_observed_say_invalid_realloc(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                      uint64_t req);

/* It became this block: as dmd_observed_alloc. */
bool dmd_observed_end_realloc(dmd_engine_t *engine, uint32_t thread, uint64_t old_addr,
                              dmd_block_t *old, uint64_t addr, uint64_t req, uint64_t usable);

/* It was freed, since no bytes were wanted. */
void dmd_observed_free_by_realloc(dmd_engine_t *engine, uint32_t thread, uint64_t old_addr,
                                  dmd_block_t *old);

/* That failed, for so many bytes: it is as before, reports and all, and a free and an allocation
 * are counted. */
void dmd_observed_put_back(dmd_engine_t *engine, uint64_t old_addr, dmd_block_t *old, uint64_t req);

/* ---- The same without the engine lock (live/quick.h). ----
 *
 * False, or NULL: nothing happened; do it with the lock. The new block's stack is stack(ctx), which
 * is asked for where it is wanted, before anything is locked. */

typedef struct dmd_quick_event {
  dmd_quick_t *quick; /* the thread's */
  uint32_t thread;
  uint32_t (*stack)(void *ctx);
  void *ctx;
} dmd_quick_event_t;

bool dmd_observed_quick_alloc(dmd_engine_t *engine, const dmd_quick_event_t *event, uint64_t addr,
                              uint64_t req, uint64_t usable);
bool dmd_observed_quick_free(dmd_engine_t *engine, const dmd_quick_event_t *event, uint64_t addr);
dmd_block_t *dmd_observed_quick_begin_realloc(dmd_engine_t *engine, uint64_t addr);
bool dmd_observed_quick_end_realloc(dmd_engine_t *engine, const dmd_quick_event_t *event,
                                    uint64_t old_addr, dmd_block_t *old, uint64_t addr,
                                    uint64_t req, uint64_t usable);

/* Whether the engine has to be told (dmd_engine_usable_size) that this thread asked for the size of
 * a block. */
bool dmd_observed_wants_size(const dmd_engine_t *engine, const dmd_quick_t *quick);

#endif
