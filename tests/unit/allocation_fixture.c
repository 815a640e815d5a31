/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "allocation_fixture.h"

void heap_begin(engine_fixture_t *f) {
  engine_begin(f);
  enginehost_give_heap(&f->h);
}

void heap_start(engine_fixture_t *f) {
  heap_begin(f);
  engine_start(f);
}

uint64_t allocate(engine_fixture_t *f, uint64_t szB) {
  return dmd_engine_malloc(&f->engine, 1, szB);
}

uint64_t reallocate(engine_fixture_t *f, uint64_t addr, uint64_t szB) {
  return dmd_engine_realloc(&f->engine, 1, addr, szB);
}

const dmd_block_t *block_of(const engine_fixture_t *f, uint64_t addr) {
  const dmd_block_t *block = dmd_live_find(&f->engine.live, addr);
  assert_non_null(block);
  return block;
}

void expect_block(const engine_fixture_t *f, uint64_t addr, uint64_t req, uint64_t usable) {
  assert_int_equal(block_of(f, addr)->req, req);
  assert_int_equal(dmd_block_usable(block_of(f, addr)), usable);
}

void expect_counts(const engine_fixture_t *f, uint64_t n_allocs, uint64_t n_frees) {
  dmd_totals_t totals = dmd_live_totals(&f->engine.live);
  assert_int_equal(totals.n_allocs, n_allocs);
  assert_int_equal(totals.n_frees, n_frees);
}

enginehost_piece_t newest_piece(const engine_fixture_t *f) {
  assert_true(f->h.n_pieces > 0);
  return f->h.pieces[f->h.n_pieces - 1];
}
