/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/regions.h"

#include "base/intern.h"
#include "base/mem.h"

void dmd_regions_init(dmd_regions_t *r, const dmd_env_t *env) {
  *r = (dmd_regions_t){.env = env};
}

void dmd_regions_destroy(dmd_regions_t *r) {
  dmd_env_free(r->env, r->regions);
}

/* The index of the first region that ends above addr. */
static uint32_t find(const dmd_regions_t *r, uint64_t addr) {
  uint32_t low = 0, high = r->n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (r->regions[middle].end <= addr)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void grow(dmd_regions_t *r) {
  uint32_t room = r->room == 0 ? 64 : 2 * r->room;
  dmd_region_t *regions = dmd_env_alloc(r->env, "dmd.regions", room * sizeof *regions);
  if (r->n > 0)
    dmd_mem_copy(regions, r->regions, r->n * sizeof *regions);
  dmd_env_free(r->env, r->regions);
  r->regions = regions;
  r->room = room;
}

static bool insert(dmd_regions_t *r, uint32_t at, const dmd_region_t *region) {
  if (r->n == DMD_MAX_REGIONS)
    return false;
  if (r->n == r->room)
    grow(r);
  for (uint32_t i = r->n; i > at; i--)
    r->regions[i] = r->regions[i - 1];
  r->regions[at] = *region;
  r->n++;
  return true;
}

/* Makes addr the border of two regions. If there is no room for another one, the rest is lost. */
static void split(dmd_regions_t *r, uint64_t addr) {
  uint32_t i = find(r, addr);
  if (i == r->n || r->regions[i].start >= addr)
    return;
  dmd_region_t rest = r->regions[i];
  rest.start = addr;
  r->regions[i].end = addr;
  insert(r, i + 1, &rest);
}

void dmd_regions_remove(dmd_regions_t *r, uint64_t start, uint64_t end) {
  if (start >= end || r->n == 0)
    return;
  split(r, start);
  split(r, end);
  uint32_t from = find(r, start), to = from;
  while (to < r->n && r->regions[to].start < end)
    to++;
  if (to == from)
    return;
  for (uint32_t i = to; i < r->n; i++)
    r->regions[from + i - to] = r->regions[i];
  r->n -= to - from;
}

void dmd_regions_add(dmd_regions_t *r, uint64_t start, uint64_t end, uint32_t stack) {
  if (start >= end)
    return;
  dmd_regions_remove(r, start, end);
  insert(r, find(r, start), &(dmd_region_t){.start = start, .end = end, .stack = stack});
}

void dmd_regions_add_stack(dmd_regions_t *r, uint64_t start, uint64_t end, uint32_t stack,
                           uint32_t thread) {
  uint32_t i = find(r, start);
  for (; i < r->n && r->regions[i].start < end; i++)
    start = r->regions[i].end;
  if (start < end)
    insert(r, i, &(dmd_region_t){.start = start, .end = end, .stack = stack, .thread = thread});
}

static void remove_stacks(dmd_regions_t *r, uint32_t thread, bool of_others) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < r->n; i++) {
    uint32_t owner = r->regions[i].thread;
    if (owner == 0 || (owner == thread) == of_others)
      r->regions[n++] = r->regions[i];
  }
  r->n = n;
}

void dmd_regions_end_stack(dmd_regions_t *r, uint32_t thread) {
  remove_stacks(r, thread, false);
}

void dmd_regions_end_other_stacks(dmd_regions_t *r, uint32_t thread) {
  remove_stacks(r, thread, true);
}

void dmd_regions_move(dmd_regions_t *r, uint64_t from, uint64_t to, uint64_t szB) {
  if (szB == 0 || r->n == 0)
    return;
  split(r, from);
  split(r, from + szB);
  uint32_t first = find(r, from), n = 0;
  while (first + n < r->n && r->regions[first + n].start < from + szB)
    n++;
  dmd_region_t *moved = dmd_env_alloc(r->env, "dmd.regions", (n + 1) * sizeof *moved);
  for (uint32_t i = 0; i < n; i++) {
    moved[i] = r->regions[first + i];
    moved[i].start = moved[i].start - from + to;
    moved[i].end = moved[i].end - from + to;
  }
  dmd_regions_remove(r, from, from + szB);
  dmd_regions_remove(r, to, to + szB);
  for (uint32_t i = 0; i < n; i++)
    insert(r, find(r, moved[i].start), &moved[i]);
  dmd_env_free(r->env, moved);
}

uint64_t dmd_regions_report(dmd_regions_t *r, uint64_t start, uint64_t end, uint32_t reporter) {
  uint64_t szB = 0;
  if (start >= end || r->n == 0)
    return 0;
  split(r, start);
  split(r, end);
  for (uint32_t i = find(r, start); i < r->n && r->regions[i].start < end; i++) {
    r->regions[i].is_reported = true;
    r->regions[i].reporter = reporter;
    szB += r->regions[i].end - r->regions[i].start;
  }
  return szB;
}

void dmd_regions_clear_reports(dmd_regions_t *r) {
  for (uint32_t i = 0; i < r->n; i++) {
    r->regions[i].is_reported = false;
    r->regions[i].reporter = DMD_NONE;
  }
}
