/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mempool.h: memory pools that the program describes with VALGRIND_CREATE_MEMPOOL and related
 * macros.
 *
 * A chunk of a pool is an announced block (allocation.h) that can only be freed through its pool:
 * free and realloc of its address refer to another block there, such as the one that contains the
 * pool. Allocations are counted as in Memcheck. Unlike in Memcheck, each chunk that goes counts as
 * a free and each that stays is in use, so that allocations minus frees are the live blocks.
 *
 * Requests are not trusted: an invalid one counts as a fault and changes nothing.
 */
#ifndef DMD_RECORD_ENGINE_MEMPOOL_H
#define DMD_RECORD_ENGINE_MEMPOOL_H

#include "record/engine/engine.h"

/* Creates a pool with this anchor, an arbitrary address. frees_pieces: when a chunk goes, so do the
 * separately announced blocks within it. A duplicate anchor is a fault. */
void dmd_engine_mempool_create(dmd_engine_t *engine, uint32_t thread, uint64_t anchor,
                               bool frees_pieces);

/* Frees all chunks and the pool. */
void dmd_engine_mempool_destroy(dmd_engine_t *engine, uint32_t thread, uint64_t anchor);

/* The pool hands out a chunk. A chunk already at that address is freed first: the program did not
 * free it. */
void dmd_engine_mempool_alloc(dmd_engine_t *engine, uint32_t thread, uint64_t anchor, uint64_t addr,
                              uint64_t szB);

void dmd_engine_mempool_free(dmd_engine_t *engine, uint32_t thread, uint64_t anchor, uint64_t addr);

/* Frees the chunks outside of these bytes, and cuts those that reach beyond them. */
void dmd_engine_mempool_trim(dmd_engine_t *engine, uint32_t thread, uint64_t anchor, uint64_t addr,
                             uint64_t szB);

/* Changes the pool's anchor. */
void dmd_engine_mempool_move(dmd_engine_t *engine, uint32_t thread, uint64_t anchor, uint64_t to);

/* The chunk at addr moves to another address and gets another size. It stays reported. */
void dmd_engine_mempool_change(dmd_engine_t *engine, uint32_t thread, uint64_t anchor,
                               uint64_t addr, uint64_t to, uint64_t szB);

static inline bool dmd_engine_mempool_exists(const dmd_engine_t *engine, uint64_t anchor) {
  return dmd_mempools_find(&engine->mempools, anchor) != NULL;
}

#endif
