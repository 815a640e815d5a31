/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * observed.h: the program's allocator, for a host that observes it without replacing it.
 *
 * Such a host lets the program's own functions do the work and passes on the results. Sizes are
 * real: those of malloc_usable_size. Other threads cannot confuse the order of events: a new block
 * is passed on after it exists, a freed one before it goes. A realloc is passed on before, when the
 * block is marked, and after, when it is replaced or put back as it was.
 *
 * A free of a non-block may be the program's error, or the host missed the allocation. Only the
 * host can tell, and reports the fault with a separate function.
 *
 * Cost: as for allocation.h.
 */
#ifndef DMD_RECORD_ENGINE_OBSERVED_H
#define DMD_RECORD_ENGINE_OBSERVED_H

#include "record/engine/engine.h"

/* A block was allocated. Returns false if a block was known there whose end was not observed; that
 * one is dropped. */
bool dmd_observed_alloc(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t req,
                        uint64_t usable);

/* A block is about to be freed. Returns false if no block is known there; it counts as a free all
 * the same. */
bool dmd_observed_free(dmd_engine_t *engine, uint32_t thread, uint64_t addr);
void dmd_observed_say_invalid_free(dmd_engine_t *engine, uint32_t thread, uint64_t addr);

/* In an attached process (dmd_engine_attach) an unknown block is freed or reallocated. */
void dmd_observed_count_older(dmd_engine_t *engine, uint64_t usable);

/* Marks the block at addr, which is to be reallocated; NULL if no block is known there, which the
 * host may report. The block stays as it was but is no longer found by address
 * (record/heap/blocks.h). The pointer is valid until one of the next three functions is called with
 * it. */
dmd_block_t *dmd_observed_begin_realloc(dmd_engine_t *engine, uint64_t addr);
void dmd_observed_say_invalid_realloc(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                      uint64_t req);

/* The block was replaced by this one: as for dmd_observed_alloc. */
bool dmd_observed_end_realloc(dmd_engine_t *engine, uint32_t thread, uint64_t old_addr,
                              dmd_block_t *old, uint64_t addr, uint64_t req, uint64_t usable);

/* The block was freed, since size 0 was requested. */
void dmd_observed_free_by_realloc(dmd_engine_t *engine, uint32_t thread, uint64_t old_addr,
                                  dmd_block_t *old);

/* The realloc to req bytes failed: the block is as before, reports included, and a free and an
 * allocation are counted. */
void dmd_observed_put_back(dmd_engine_t *engine, uint64_t old_addr, dmd_block_t *old, uint64_t req);

/* ---- The fast path of the above, without the engine lock (record/heap/fastpath.h). ----
 *
 * If a function returns false or NULL, nothing happened: repeat the call with the lock. stack(ctx)
 * returns the new block's stack; it is called only if needed, before anything is locked. */

typedef struct dmd_fastpath_event {
  dmd_fastpath_t *fastpath; /* the thread's copy */
  uint32_t thread;
  uint64_t sp; /* the stack pointer of the function that called the allocator */
  uint32_t (*stack)(void *ctx);
  void *ctx;
} dmd_fastpath_event_t;

bool dmd_observed_fast_alloc(dmd_engine_t *engine, const dmd_fastpath_event_t *event, uint64_t addr,
                             uint64_t req, uint64_t usable);
bool dmd_observed_fast_free(dmd_engine_t *engine, const dmd_fastpath_event_t *event, uint64_t addr);
dmd_block_t *dmd_observed_fast_begin_realloc(dmd_engine_t *engine, uint64_t addr);
bool dmd_observed_fast_end_realloc(dmd_engine_t *engine, const dmd_fastpath_event_t *event,
                                   uint64_t old_addr, dmd_block_t *old, uint64_t addr, uint64_t req,
                                   uint64_t usable);

/* True if the engine must learn (dmd_engine_usable_size) that this thread asked for a block's
 * size. */
bool dmd_observed_wants_size(const dmd_engine_t *engine, const dmd_fastpath_t *fastpath);

#endif
