/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * bitset.h: a set of the numbers 0 to n - 1, one bit each.
 */
#ifndef DMD_BASE_BITSET_H
#define DMD_BASE_BITSET_H

#include "base/env.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct dmd_bitset {
  const dmd_env_t *env;
  uint64_t *words;
} dmd_bitset_t;

/* Creates an empty set. */
static inline void dmd_bitset_init(dmd_bitset_t *set, const dmd_env_t *env, const char *cost_centre,
                                   uint64_t n) {
  size_t szB = (size_t)(n / 64 + 1) * sizeof *set->words;
  *set = (dmd_bitset_t){.env = env, .words = dmd_env_alloc(env, cost_centre, szB)};
  dmd_mem_zero(set->words, szB);
}

static inline void dmd_bitset_destroy(dmd_bitset_t *set) {
  dmd_env_free(set->env, set->words);
}

static inline bool dmd_bitset_has(const dmd_bitset_t *set, uint64_t i) {
  return set->words[i / 64] >> (i % 64) & 1;
}

static inline void dmd_bitset_add(dmd_bitset_t *set, uint64_t i) {
  set->words[i / 64] |= UINT64_C(1) << (i % 64);
}

#endif
