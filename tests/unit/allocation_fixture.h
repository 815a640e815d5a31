/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * allocation_fixture.h: a fixture for tests of record/engine/allocation.h: an engine on a host that
 * stands in for the program's allocator. Sizes are glibc's for words of 8 bytes: a multiple of 16
 * less 8, at least 24.
 */
#ifndef TESTS_UNIT_ALLOCATION_FIXTURE_H
#define TESTS_UNIT_ALLOCATION_FIXTURE_H

#include "engine_fixture.h"

#include "record/engine/allocation.h"

enum { LARGE = 100000, LARGE_USABLE = 100008 };

/* An engine_fixture_t. engine_end ends it; after heap_begin the test still has to start it. */
void heap_begin(engine_fixture_t *f);
void heap_start(engine_fixture_t *f);

/* By thread 1. */
uint64_t allocate(engine_fixture_t *f, uint64_t szB);
uint64_t reallocate(engine_fixture_t *f, uint64_t addr, uint64_t szB);

static inline char *bytes(uint64_t addr) {
  return (char *)(uintptr_t)addr;
}

/* There must be such a block. */
const dmd_block_t *block_of(const engine_fixture_t *f, uint64_t addr);

void expect_block(const engine_fixture_t *f, uint64_t addr, uint64_t req, uint64_t usable);
void expect_counts(const engine_fixture_t *f, uint64_t n_allocs, uint64_t n_frees);

/* The newest piece of memory that the engine took from the host. */
enginehost_piece_t newest_piece(const engine_fixture_t *f);

#endif
