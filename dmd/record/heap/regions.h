/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * regions.h: the address ranges that the program mapped itself, each with the stack that mapped it.
 *
 * Ranges never overlap: a new one replaces what it covers, as the kernel does. Removing or
 * reporting a part of a range splits it.
 *
 * A sorted array: a search takes log n steps, a change moves what follows. The kernel limits a
 * process to 65,530 mappings; ranges beyond DMD_MAX_REGIONS are dropped.
 */
#ifndef DMD_RECORD_HEAP_REGIONS_H
#define DMD_RECORD_HEAP_REGIONS_H

#include "base/env.h"

#include <stdbool.h>
#include <stdint.h>

enum { DMD_MAX_REGIONS = 1 << 16 };

typedef struct dmd_region {
  uint64_t start, end;
  uint32_t stack;
  uint32_t reporter; /* a name; DMD_NONE: none, or outside of any reporter */
  uint32_t thread;   /* whose stack it is; 0: nobody's */
  bool is_reported;
} dmd_region_t;

typedef struct dmd_regions {
  const dmd_env_t *env;
  dmd_region_t *regions; /* n of them, in ascending order, with room for more */
  uint32_t n, room;
} dmd_regions_t;

void dmd_regions_init(dmd_regions_t *r, const dmd_env_t *env);
void dmd_regions_destroy(dmd_regions_t *r);

/* The range [start, end) was mapped, or unmapped. An empty range changes nothing. */
void dmd_regions_add(dmd_regions_t *r, uint64_t start, uint64_t end, uint32_t stack);
void dmd_regions_remove(dmd_regions_t *r, uint64_t start, uint64_t end);

/* The stack of a thread: [start, end), but only what is above all ranges that are known there, so
 * that a stack that the program mapped itself remains the program's. */
void dmd_regions_add_stack(dmd_regions_t *r, uint64_t start, uint64_t end, uint32_t stack,
                           uint32_t thread);

/* Removes the stack of a thread that ends, or the stacks of all other threads. */
void dmd_regions_end_stack(dmd_regions_t *r, uint32_t thread);
void dmd_regions_end_other_stacks(dmd_regions_t *r, uint32_t thread);

/* The range [from, from + szB) moved to `to`, and keeps its stacks and reports. */
void dmd_regions_move(dmd_regions_t *r, uint64_t from, uint64_t to, uint64_t szB);

/* Reports what is in [start, end); the last reporter counts. Returns the bytes that are there. */
uint64_t dmd_regions_report(dmd_regions_t *r, uint64_t start, uint64_t end, uint32_t reporter);

void dmd_regions_clear_reports(dmd_regions_t *r);

#endif
