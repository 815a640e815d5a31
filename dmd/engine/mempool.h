/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mempool.h: what the program tells of its memory pools, with Valgrind's VALGRIND_CREATE_MEMPOOL
 * and its companions.
 *
 * A chunk of a pool is an announced block (allocation.h) that goes only through its pool: free and
 * realloc of its address are about another block there, as the one that the pool lies in. What
 * Memcheck counts as an allocation is one here, too. Other than there each chunk that goes is a
 * free, and each that stays is in use, so that allocations less frees are the live blocks.
 *
 * The program may say anything. What is not so is counted as a fault, and changes nothing.
 *
 * Concurrency: as of the engine.
 */
#ifndef DMD_ENGINE_MEMPOOL_H
#define DMD_ENGINE_MEMPOOL_H

#include "engine/engine.h"

/* A pool is known by its anchor, any address. frees_pieces: when a chunk goes, so do the blocks
 * that were announced by themselves and lie in it. Creating one that there is already is a fault.
 */
void dmd_engine_mempool_create(dmd_engine_t *engine, uint32_t thread, uint64_t anchor,
                               bool frees_pieces);

/* All its chunks go. */
void dmd_engine_mempool_destroy(dmd_engine_t *engine, uint32_t thread, uint64_t anchor);

/* The pool hands out a chunk. If it had one there, that one goes: the program did not say so. */
void dmd_engine_mempool_alloc(dmd_engine_t *engine, uint32_t thread, uint64_t anchor, uint64_t addr,
                              uint64_t szB);

void dmd_engine_mempool_free(dmd_engine_t *engine, uint32_t thread, uint64_t anchor, uint64_t addr);

/* Chunks outside of these bytes go; of those that reach beyond them, what lies within stays. */
void dmd_engine_mempool_trim(dmd_engine_t *engine, uint32_t thread, uint64_t anchor, uint64_t addr,
                             uint64_t szB);

/* The pool has another anchor from now on. */
void dmd_engine_mempool_move(dmd_engine_t *engine, uint32_t thread, uint64_t anchor, uint64_t to);

/* The chunk at addr starts at another address, and has another size. It stays reported. */
void dmd_engine_mempool_change(dmd_engine_t *engine, uint32_t thread, uint64_t anchor,
                               uint64_t addr, uint64_t to, uint64_t szB);

static inline bool dmd_engine_mempool_exists(const dmd_engine_t *engine, uint64_t anchor) {
  return dmd_mempools_find(&engine->mempools, anchor) != NULL;
}

#endif
