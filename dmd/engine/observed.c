/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/observed.h"

#include "engine/allocation.h"

/* A block's record has no room for more slop. */
static uint64_t limit_usable(uint64_t req, uint64_t usable) {
  uint64_t slop = usable > req ? usable - req : 0;
  return req + (slop > UINT32_MAX ? UINT32_MAX : slop);
}

bool dmd_observed_alloc(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t req,
                        uint64_t usable) {
  bool is_new = dmd_live_find_freeable(&engine->live, addr) == NULL;
  if (!is_new)
    dmd_live_remove(&engine->live, addr, DMD_NONE);
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

bool dmd_observed_take(dmd_engine_t *engine, uint64_t addr, dmd_block_t *taken) {
  return dmd_blocks_take_out(engine->live.blocks, addr, taken);
}

void dmd_observed_say_invalid_realloc(dmd_engine_t *engine, uint32_t thread, uint64_t addr) {
  dmd_engine_say_fault(engine, thread, DMD_FAULT_INVALID_REALLOC, "no block starts at", addr);
}

void dmd_observed_let_go(dmd_engine_t *engine, uint64_t addr, const dmd_block_t *taken,
                         uint32_t stack) {
  dmd_blocks_drop(engine->live.blocks, addr, taken,
                  dmd_live_wants_stack_of_free(&engine->live) ? stack : DMD_NONE);
}

void dmd_observed_put_back(dmd_engine_t *engine, uint64_t addr, const dmd_block_t *taken,
                           uint64_t req) {
  dmd_blocks_put_back(engine->live.blocks, addr, taken);
  dmd_blocks_count_failed_realloc(engine->live.blocks, req);
}
