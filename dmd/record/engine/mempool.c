/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/mempool.h"

#include "record/engine/allocation.h"

/* ---- Lookup. ---- */

/* Returns NULL and counts a fault if no pool has this anchor. */
static dmd_mempool_t *find_pool(dmd_engine_t *engine, uint32_t thread, uint64_t anchor) {
  dmd_mempool_t *pool = dmd_mempools_find(&engine->mempools, anchor);
  if (pool == NULL)
    dmd_engine_say_fault(engine, thread, DMD_FAULT_INVALID_POOL, "no pool has the address", anchor);
  return pool;
}

/* Returns NULL and counts a fault if the pool has no chunk there. */
static dmd_block_t *find_chunk(dmd_engine_t *engine, uint32_t thread, const dmd_mempool_t *pool,
                               uint64_t addr) {
  dmd_block_t *chunk = dmd_map_find(&pool->chunks, addr);
  if (chunk == NULL)
    dmd_engine_say_fault(engine, thread, DMD_FAULT_INVALID_FREE, "no chunk of the pool starts at",
                         addr);
  return chunk;
}

/* ---- Removing and moving chunks. ---- */

static void remove_chunk(dmd_engine_t *engine, dmd_mempool_t *pool, uint64_t addr,
                         dmd_block_t *chunk, uint32_t stack) {
  dmd_map_remove(&pool->chunks, addr);
  dmd_live_remove_announced(&engine->live, addr, chunk, stack);
}

/* Removes the pool's chunk at this address, if there is one. */
static void remove_chunk_at(dmd_engine_t *engine, dmd_mempool_t *pool, uint64_t addr) {
  dmd_block_t *chunk = dmd_map_find(&pool->chunks, addr);
  if (chunk != NULL)
    remove_chunk(engine, pool, addr, chunk, DMD_NONE);
}

static void move_chunk(dmd_engine_t *engine, dmd_mempool_t *pool, uint64_t addr, dmd_block_t *chunk,
                       uint64_t to, uint64_t szB) {
  dmd_map_remove(&pool->chunks, addr);
  dmd_map_add(&pool->chunks, to, dmd_live_move_announced(&engine->live, addr, chunk, to, szB));
}

/* Removes the blocks that the program announced separately within a chunk that goes. */
static void remove_pieces(dmd_engine_t *engine, uint64_t from, uint64_t end, uint32_t stack) {
  dmd_block_t *piece;
  while ((piece = dmd_blocks_find_announced(engine->live.blocks, from, end, &from)) != NULL)
    dmd_live_remove_announced(&engine->live, from, piece, stack);
}

/* Calls act for each chunk, in address order; act may remove or move that chunk. */
static void for_each_chunk(dmd_engine_t *engine, dmd_mempool_t *pool, const void *ctx,
                           void (*act)(dmd_engine_t *engine, dmd_mempool_t *pool, uint64_t addr,
                                       dmd_block_t *chunk, const void *ctx)) {
  uint32_t n = pool->chunks.n;
  uint32_t *order = dmd_map_in_order(&pool->chunks);
  dmd_map_place_t *chunks = dmd_env_alloc(engine->env, "dmd.mempool.each", n * sizeof *chunks + 1);
  for (uint32_t i = 0; i < n; i++)
    chunks[i] = pool->chunks.places[order[i]];
  for (uint32_t i = 0; i < n; i++)
    act(engine, pool, chunks[i].number, chunks[i].value, ctx);
  dmd_env_free(engine->env, chunks);
  dmd_env_free(engine->env, order);
}

/* ---- Requests. ---- */

void dmd_engine_mempool_create(dmd_engine_t *engine, uint32_t thread, uint64_t anchor,
                               bool frees_pieces) {
  if (dmd_mempools_find(&engine->mempools, anchor) == NULL)
    dmd_mempools_add(&engine->mempools, anchor, frees_pieces);
  else
    dmd_engine_say_fault(engine, thread, DMD_FAULT_INVALID_POOL, "a pool already exists at",
                         anchor);
}

static void destroy_chunk(dmd_engine_t *engine, dmd_mempool_t *pool, uint64_t addr,
                          dmd_block_t *chunk, const void *ctx) {
  remove_chunk(engine, pool, addr, chunk, *(const uint32_t *)ctx);
}

void dmd_engine_mempool_destroy(dmd_engine_t *engine, uint32_t thread, uint64_t anchor) {
  dmd_mempool_t *pool = find_pool(engine, thread, anchor);
  if (pool == NULL)
    return;
  uint32_t stack = dmd_engine_capture_free(engine, thread);
  for_each_chunk(engine, pool, &stack, destroy_chunk);
  dmd_mempools_remove(&engine->mempools, pool);
}

void dmd_engine_mempool_alloc(dmd_engine_t *engine, uint32_t thread, uint64_t anchor, uint64_t addr,
                              uint64_t szB) {
  dmd_mempool_t *pool = find_pool(engine, thread, anchor);
  if (pool == NULL)
    return;
  remove_chunk_at(engine, pool, addr);
  dmd_engine_announce_as(engine, thread, addr, szB, DMD_BLOCK_POOLED);
  dmd_map_add(&pool->chunks, addr, dmd_blocks_find(engine->live.blocks, addr));
}

void dmd_engine_mempool_free(dmd_engine_t *engine, uint32_t thread, uint64_t anchor,
                             uint64_t addr) {
  dmd_mempool_t *pool = find_pool(engine, thread, anchor);
  dmd_block_t *chunk = pool == NULL ? NULL : find_chunk(engine, thread, pool, addr);
  if (chunk == NULL)
    return;
  uint32_t stack = dmd_engine_capture_free(engine, thread);
  if (pool->frees_pieces)
    remove_pieces(engine, addr, addr + dmd_block_usable(chunk), stack);
  remove_chunk(engine, pool, addr, chunk, stack);
}

typedef struct {
  uint64_t addr, szB;
  uint32_t stack;
} trim_t;

/* Computes with differences, since an end address may be the end of the address space. */
static void trim_chunk(dmd_engine_t *engine, dmd_mempool_t *pool, uint64_t addr, dmd_block_t *chunk,
                       const void *ctx) {
  const trim_t *trim = ctx;
  uint64_t szB = dmd_block_usable(chunk);
  uint64_t skipped = addr < trim->addr ? trim->addr - addr : 0;
  uint64_t before = addr > trim->addr ? addr - trim->addr : 0;
  bool is_within = before < trim->szB && (skipped == 0 || skipped < szB);
  if (!is_within) {
    remove_chunk(engine, pool, addr, chunk, trim->stack);
    return;
  }
  uint64_t left = szB - skipped, room = trim->szB - before;
  uint64_t kept = left < room ? left : room;
  if (kept < szB)
    move_chunk(engine, pool, addr, chunk, addr + skipped, kept);
}

void dmd_engine_mempool_trim(dmd_engine_t *engine, uint32_t thread, uint64_t anchor, uint64_t addr,
                             uint64_t szB) {
  dmd_mempool_t *pool = find_pool(engine, thread, anchor);
  if (pool == NULL)
    return;
  trim_t trim = {.addr = addr, .szB = szB, .stack = dmd_engine_capture_free(engine, thread)};
  for_each_chunk(engine, pool, &trim, trim_chunk);
}

void dmd_engine_mempool_move(dmd_engine_t *engine, uint32_t thread, uint64_t anchor, uint64_t to) {
  dmd_mempool_t *pool = find_pool(engine, thread, anchor);
  if (pool == NULL || anchor == to)
    return;
  if (dmd_mempools_find(&engine->mempools, to) != NULL)
    dmd_engine_say_fault(engine, thread, DMD_FAULT_INVALID_POOL, "a pool already exists at", to);
  else
    dmd_mempools_move(&engine->mempools, pool, to);
}

void dmd_engine_mempool_change(dmd_engine_t *engine, uint32_t thread, uint64_t anchor,
                               uint64_t addr, uint64_t to, uint64_t szB) {
  dmd_mempool_t *pool = find_pool(engine, thread, anchor);
  dmd_block_t *chunk = pool == NULL ? NULL : find_chunk(engine, thread, pool, addr);
  if (chunk == NULL)
    return;
  if (to != addr)
    remove_chunk_at(engine, pool, to);
  move_chunk(engine, pool, addr, chunk, to, dmd_engine_announced_size(engine, thread, to, szB));
}
