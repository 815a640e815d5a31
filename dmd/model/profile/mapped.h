/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mapped.h: memory that the program mapped itself, with mmap and the like, by the stack that mapped
 * it and the reporter that reported it (DMD_REPORT_MAPPED in dmd.h).
 *
 * Stacks of threads are entries of their own. Entries with equal stack and reporter are added up.
 * Ids are 1, 2, 3 ... in the order of addition.
 */
#ifndef DMD_MODEL_PROFILE_MAPPED_H
#define DMD_MODEL_PROFILE_MAPPED_H

#include "base/intern.h"
#include "base/limits.h"
#include "base/pool.h"
#include "base/table.h"

#include <stdbool.h>

typedef struct dmd_mapped_entry {
  uint64_t szB, num; /* bytes of address space, and the ranges that they are in */
  uint32_t stack;    /* DMD_NONE: not recorded */
  uint32_t reporter; /* a name; DMD_NONE: nobody, or outside of any reporter */
  bool is_reported;
  bool is_stack; /* stacks of threads */
} dmd_mapped_entry_t;

typedef struct dmd_mapped {
  dmd_pool_t pool;
  dmd_table_t index;
} dmd_mapped_t;

/* The list must not move until it is destroyed. */
void dmd_mapped_init(dmd_mapped_t *mapped, const dmd_env_t *env);
void dmd_mapped_destroy(dmd_mapped_t *mapped);

void dmd_mapped_add(dmd_mapped_t *mapped, const dmd_mapped_entry_t *entry);

static inline uint32_t dmd_mapped_count(const dmd_mapped_t *mapped) {
  return mapped->pool.last;
}

static inline const dmd_mapped_entry_t *dmd_mapped_at(const dmd_mapped_t *mapped, uint32_t id) {
  return DMD_POOL_AT(&mapped->pool, const dmd_mapped_entry_t, id);
}

/* The sum of what nobody reported, or of everything: of stacks of threads, or without them. */
dmd_mapped_entry_t dmd_mapped_sum(const dmd_mapped_t *mapped, bool of_stacks, bool unreported_only);

#endif
