/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lifetimes.h: what each stack allocated in the whole run, and how long its blocks lived.
 *
 * A block's lifetime is measured in bytes that the program allocated meanwhile, or in its
 * instructions (dmd_run_t.counts_instructions), of which 1,024 count as a KiB. Live blocks have
 * no lifetime yet. Blocks that the program announced do not count, and a realloc is a
 * free and an allocation.
 */
#ifndef DMD_MODEL_PROFILE_LIFETIMES_H
#define DMD_MODEL_PROFILE_LIFETIMES_H

#include "base/pool.h"
#include "base/table.h"

/* The histogram: class 0 has lifetimes below 1 KiB, class n those from 2^(n - 1) KiB on and below
 * 2^n KiB, and the last one also all larger ones. The first ones are short. */
enum { DMD_LIFETIME_CLASSES = 32, DMD_SHORT_CLASSES = 5, DMD_SHORT_KIB = 16 };

typedef struct dmd_lifetime {
  uint64_t n_allocs, alloc_szB; /* requested bytes */
  uint64_t n_freed;
  uint64_t n_temporary; /* freed before anything else was allocated or freed */
  uint64_t most_szB;    /* live at once, at most; of several stacks: the sum; 0: unknown */
  double sum;           /* of the lifetimes */
  uint64_t classes[DMD_LIFETIME_CLASSES];
  uint32_t stack; /* DMD_NONE: not recorded */
} dmd_lifetime_t;

typedef struct dmd_lifetimes {
  bool is_known;
  dmd_pool_t pool; /* of dmd_lifetime_t, ids 1, 2, 3 ... */
  dmd_table_t index;
} dmd_lifetimes_t;

/* The list must not move until it is destroyed. */
void dmd_lifetimes_init(dmd_lifetimes_t *lifetimes, const dmd_env_t *env);
void dmd_lifetimes_destroy(dmd_lifetimes_t *lifetimes);

/* Moves the contents of `from`, which is empty afterwards, to the empty `to`. */
void dmd_lifetimes_move(dmd_lifetimes_t *to, dmd_lifetimes_t *from);

/* Adds to known, whose stack stays. */
void dmd_lifetime_join(dmd_lifetime_t *known, const dmd_lifetime_t *lifetime);

/* Adds to the stack's lifetimes. */
void dmd_lifetimes_add(dmd_lifetimes_t *lifetimes, const dmd_lifetime_t *lifetime);

static inline uint32_t dmd_lifetimes_count(const dmd_lifetimes_t *lifetimes) {
  return lifetimes->pool.last;
}

static inline dmd_lifetime_t *dmd_lifetimes_at(const dmd_lifetimes_t *lifetimes, uint32_t id) {
  return DMD_POOL_AT(&lifetimes->pool, dmd_lifetime_t, id);
}

/* The class of a lifetime. */
static inline uint32_t dmd_lifetime_class(uint64_t szB) {
  uint64_t kib = szB / 1024;
  uint32_t i = kib == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(kib);
  return i < DMD_LIFETIME_CLASSES ? i : DMD_LIFETIME_CLASSES - 1;
}

/* The mean lifetime, rounded; 0 if nothing was freed. */
uint64_t dmd_lifetime_mean(const dmd_lifetime_t *lifetime);

/* Blocks that were freed within DMD_SHORT_KIB. */
uint64_t dmd_lifetime_n_short(const dmd_lifetime_t *lifetime);

#endif
