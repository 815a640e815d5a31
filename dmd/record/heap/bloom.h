/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * bloom.h: counting Bloom filter of sampled blocks: tells cheaply that an address was not sampled.
 *
 * With --sample-interval nearly all blocks that a program frees, reallocates, measures or reports
 * are unknown to dmd. This check must cost next to nothing, so it comes before any lock. There are
 * no false negatives and few false positives.
 *
 * Two tables count the sampled blocks: one by the page of their address, one by a hash of the
 * address. A program's accesses are local, so the entries of the page table stay in the caches, and
 * most pages have no sampled block, which ends the check. The hash table settles most other
 * addresses in a page that has one. A saturated counter stays saturated, which causes later false
 * positives.
 *
 * Concurrency: counters are atomic. A block is added before the program gets its address, so every
 * later check finds it.
 */
#ifndef DMD_RECORD_HEAP_BLOOM_H
#define DMD_RECORD_HEAP_BLOOM_H

#include "base/env.h"
#include "base/mem.h"

#include <stdbool.h>

enum {
  DMD_MARK_PAGE_BITS = 12,
  DMD_N_MARKED_PAGES = 1 << 20, /* 4 GiB of address space; farther ones share counters */
  DMD_N_MARKED_STARTS = 1 << 16
};

typedef struct dmd_bloom {
  const dmd_env_t *env;
  uint8_t pages[DMD_N_MARKED_PAGES];
  uint8_t starts[DMD_N_MARKED_STARTS];
} dmd_bloom_t;

dmd_bloom_t *dmd_bloom_create(const dmd_env_t *env);
void dmd_bloom_destroy(dmd_bloom_t *bloom);

void dmd_bloom_add(dmd_bloom_t *bloom, uint64_t addr);
void dmd_bloom_remove(dmd_bloom_t *bloom, uint64_t addr);

static inline uint8_t *dmd_bloom_page(dmd_bloom_t *bloom, uint64_t addr) {
  return &bloom->pages[(addr >> DMD_MARK_PAGE_BITS) % DMD_N_MARKED_PAGES];
}

static inline uint8_t *dmd_bloom_start(dmd_bloom_t *bloom, uint64_t addr) {
  return &bloom->starts[dmd_hash_u64(addr) % DMD_N_MARKED_STARTS];
}

/* True if a sampled block may start at addr; false: none does. */
static inline bool dmd_bloom_may_have(dmd_bloom_t *bloom, uint64_t addr) {
  return __builtin_expect(__atomic_load_n(dmd_bloom_page(bloom, addr), __ATOMIC_RELAXED) != 0, 0) &&
         __atomic_load_n(dmd_bloom_start(bloom, addr), __ATOMIC_RELAXED) != 0;
}

#endif
