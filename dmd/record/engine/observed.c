/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/observed.h"

#include "record/engine/allocation.h"

/* Limits slop to what a block's record can hold. */
static uint64_t limit_usable(uint64_t req, uint64_t usable) {
  uint64_t slop = usable > req ? usable - req : 0;
  return req + (slop > UINT32_MAX ? UINT32_MAX : slop);
}

/* Removes a block whose end was not observed. Returns false if there was one. */
static bool make_room(dmd_engine_t *engine, uint64_t addr) {
  bool is_new = dmd_live_find_freeable(&engine->live, addr) == NULL;
  if (!is_new)
    dmd_live_remove(&engine->live, addr, DMD_NONE);
  return is_new;
}

bool dmd_observed_alloc(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t req,
                        uint64_t usable) {
  bool is_new = make_room(engine, addr);
  dmd_engine_add_block(engine, thread, addr, req, limit_usable(req, usable));
  return is_new;
}

bool dmd_observed_free(dmd_engine_t *engine, uint32_t thread, uint64_t addr) {
  return dmd_live_remove(&engine->live, addr, dmd_engine_capture_free(engine, thread)) !=
         DMD_REMOVE_FAILED;
}

void dmd_observed_say_invalid_free(dmd_engine_t *engine, uint32_t thread, uint64_t addr) {
  dmd_engine_say_fault(engine, thread, DMD_FAULT_INVALID_FREE, "no block starts at", addr);
}

void dmd_observed_count_older(dmd_engine_t *engine, uint64_t usable) {
  engine->attached.older_blocks++;
  engine->attached.older_szB += usable;
}

dmd_block_t *dmd_observed_begin_realloc(dmd_engine_t *engine, uint64_t addr) {
  return dmd_blocks_begin_move(engine->live.blocks, addr);
}

void dmd_observed_say_invalid_realloc(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                      uint64_t req) {
  dmd_blocks_count_failed_realloc(engine->live.blocks, req);
  dmd_engine_say_fault(engine, thread, DMD_FAULT_INVALID_REALLOC, "no block starts at", addr);
}

bool dmd_observed_end_realloc(dmd_engine_t *engine, uint32_t thread, uint64_t old_addr,
                              dmd_block_t *old, uint64_t addr, uint64_t req, uint64_t usable) {
  bool is_new = make_room(engine, addr);
  dmd_new_block_t now =
      dmd_engine_describe_block(engine, thread, addr, req, limit_usable(req, usable));
  dmd_live_end_move(&engine->live, old_addr, old, &now);
  return is_new;
}

void dmd_observed_free_by_realloc(dmd_engine_t *engine, uint32_t thread, uint64_t old_addr,
                                  dmd_block_t *old) {
  dmd_blocks_drop(engine->live.blocks, old_addr, old, dmd_engine_capture_free(engine, thread));
}

void dmd_observed_put_back(dmd_engine_t *engine, uint64_t old_addr, dmd_block_t *old,
                           uint64_t req) {
  dmd_blocks_put_back(engine->live.blocks, old_addr, old, req);
}

/* ---- Fast path, without the engine lock. ---- */

/* Returns false if the fast path does not apply. */
static inline bool describe(const dmd_engine_t *engine, const dmd_fastpath_event_t *event,
                            dmd_new_block_t *block) {
  const dmd_live_t *live = &engine->live;
  if (!dmd_live_is_fast(live, event->fastpath) || event->sp > event->fastpath->tag_limit)
    return false;
  block->usable = limit_usable(block->req, block->usable);
  block->thread = event->thread;
  if (__builtin_expect(event->fastpath->is_exact, 1)) {
    block->stack = event->stack(event->ctx);
    return true;
  }
  dmd_plan_t plan = dmd_live_fast_plan(live, event->fastpath, block->usable);
  block->flags = plan.flags;
  if (plan.stack)
    block->stack = event->stack(event->ctx);
  return true;
}

bool dmd_observed_fast_alloc(dmd_engine_t *engine, const dmd_fastpath_event_t *event, uint64_t addr,
                             uint64_t req, uint64_t usable) {
  dmd_new_block_t block = {.addr = addr, .req = req, .usable = usable};
  return describe(engine, event, &block) &&
         dmd_live_fast_add(&engine->live, event->fastpath, &block);
}

bool dmd_observed_fast_free(dmd_engine_t *engine, const dmd_fastpath_event_t *event,
                            uint64_t addr) {
  bool wants_stack = dmd_live_wants_stack_of_free(&engine->live);
  return dmd_live_fast_remove(&engine->live, event->fastpath, addr,
                              wants_stack ? event->stack(event->ctx) : DMD_NONE);
}

dmd_block_t *dmd_observed_fast_begin_realloc(dmd_engine_t *engine, uint64_t addr) {
  return dmd_live_fast_begin_move(&engine->live, addr);
}

bool dmd_observed_fast_end_realloc(dmd_engine_t *engine, const dmd_fastpath_event_t *event,
                                   uint64_t old_addr, dmd_block_t *old, uint64_t addr, uint64_t req,
                                   uint64_t usable) {
  dmd_new_block_t now = {.addr = addr, .req = req, .usable = usable};
  return describe(engine, event, &now) &&
         dmd_live_fast_end_move(&engine->live, event->fastpath, old_addr, old, &now);
}

bool dmd_observed_wants_size(const dmd_engine_t *engine, const dmd_fastpath_t *fastpath) {
  return engine->rules.report || fastpath->has_claim;
}
