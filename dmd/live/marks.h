/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * marks.h: where no block is that is kept, for programs of whose blocks few are.
 *
 * With --sample-interval nearly all blocks that a program frees, reallocates, measures or reports
 * are unknown. That must cost next to nothing, so it is seen here before any lock: there are no
 * false negatives, and few false positives.
 *
 * Two tables count the blocks that are kept, the one by the page of their address and the other by
 * a hash of it. A page table is near in memory for a program that is, so that the caches hold what
 * is asked of it; a page without a kept block, as most are, ends the question. The other table ends
 * it for most other blocks of a page that has one. A count that has reached its limit stays there,
 * which makes false positives of what is there later.
 *
 * Concurrency: counts are atomic. A block is marked before the program knows of it, so that whoever
 * asks for it finds it marked.
 */
#ifndef DMD_LIVE_MARKS_H
#define DMD_LIVE_MARKS_H

#include "base/env.h"
#include "base/mem.h"

#include <stdbool.h>

enum {
  DMD_MARK_PAGE_BITS = 12,
  DMD_N_MARKED_PAGES = 1 << 20, /* 4 GiB of address space; farther ones share their places */
  DMD_N_MARKED_STARTS = 1 << 16
};

typedef struct dmd_marks {
  const dmd_env_t *env;
  uint8_t pages[DMD_N_MARKED_PAGES];
  uint8_t starts[DMD_N_MARKED_STARTS];
} dmd_marks_t;

dmd_marks_t *dmd_marks_create(const dmd_env_t *env);
void dmd_marks_destroy(dmd_marks_t *marks);

void dmd_marks_add(dmd_marks_t *marks, uint64_t addr);
void dmd_marks_remove(dmd_marks_t *marks, uint64_t addr);

static inline uint8_t *dmd_marks_page(dmd_marks_t *marks, uint64_t addr) {
  return &marks->pages[(addr >> DMD_MARK_PAGE_BITS) % DMD_N_MARKED_PAGES];
}

static inline uint8_t *dmd_marks_start(dmd_marks_t *marks, uint64_t addr) {
  return &marks->starts[dmd_hash_u64(addr) % DMD_N_MARKED_STARTS];
}

/* Whether a block that is kept may start at addr; false: none does. */
static inline bool dmd_marks_may_have(dmd_marks_t *marks, uint64_t addr) {
  return __builtin_expect(__atomic_load_n(dmd_marks_page(marks, addr), __ATOMIC_RELAXED) != 0, 0) &&
         __atomic_load_n(dmd_marks_start(marks, addr), __ATOMIC_RELAXED) != 0;
}

#endif
