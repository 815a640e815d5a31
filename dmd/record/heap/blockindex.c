/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/blockindex.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/sort.h"

/* Nesting depth up to which a search looks for an outer block. */
enum { MAX_NESTED = 64 };

static void add(void *ctx, uint64_t addr, dmd_block_t *block) {
  dmd_blockindex_t *index = ctx;
  uint64_t szB = dmd_block_usable(block);
  if (szB >= DMD_MAX_REAL_BLOCK || addr > UINT64_MAX - DMD_MAX_REAL_BLOCK)
    return;
  dmd_placed_block_t *placed = &index->blocks[index->n++];
  dmd_mem_zero(placed, sizeof *placed);
  placed->addr = addr;
  placed->end = addr + (szB > 0 ? szB : 1);
  placed->block = block;
}

/* The walk visits the latest of several equal starts first, but a search finds the last one in the
 * list: reverses each run of equal starts. */
static void turn_equal_starts(dmd_blockindex_t *index) {
  dmd_placed_block_t *blocks = index->blocks;
  for (uint32_t i = 0, next; i < index->n; i = next) {
    next = i + 1;
    while (next < index->n && blocks[next].addr == blocks[i].addr)
      next++;
    for (uint32_t low = i, high = next - 1; low < high; low++, high--) {
      dmd_placed_block_t other = blocks[low];
      blocks[low] = blocks[high];
      blocks[high] = other;
    }
  }
}

/* Links each block to the innermost earlier block that ends after its start. A block that ends
 * before a later one starts contains neither that one nor anything after it. */
static void link_nested(dmd_blockindex_t *index) {
  for (uint32_t i = 1; i < index->n; i++) {
    uint32_t outer = i;
    while (outer != 0 && index->blocks[outer - 1].end <= index->blocks[i].addr)
      outer = index->blocks[outer - 1].outer;
    index->blocks[i].outer = outer;
  }
}

static uint32_t range_of(const dmd_blockindex_t *index, uint64_t addr) {
  return (uint32_t)((addr - index->lowest) >> index->shift);
}

static void make_ranges(dmd_blockindex_t *index) {
  uint64_t highest = index->lowest;
  for (uint32_t i = 0; i < index->n; i++)
    if (index->blocks[i].end > highest)
      highest = index->blocks[i].end;
  index->span = highest - index->lowest;
  while ((index->span >> index->shift) >= (uint64_t)index->n * 2)
    index->shift++;
  index->n_ranges = (uint32_t)(index->span >> index->shift) + 1;
  index->first = dmd_env_alloc(index->env, "dmd.blockindex.ranges",
                               ((size_t)index->n_ranges + 1) * sizeof *index->first);
  uint32_t range = 0;
  for (uint32_t i = 0; i < index->n; i++)
    while (range <= range_of(index, index->blocks[i].addr))
      index->first[range++] = i;
  while (range <= index->n_ranges)
    index->first[range++] = index->n;
}

void dmd_blockindex_init(dmd_blockindex_t *index, const dmd_env_t *env, dmd_blocks_t *blocks) {
  dmd_mem_zero(index, sizeof *index);
  index->env = env;
  size_t n_blocks = (size_t)dmd_blocks_totals(blocks).n_blocks;
  index->blocks = dmd_env_alloc(env, "dmd.blockindex", (n_blocks + 1) * sizeof *index->blocks);
  dmd_blocks_walk(blocks, add, index);
  if (index->n == 0)
    return;
  index->lowest = index->blocks[0].addr;
  turn_equal_starts(index);
  link_nested(index);
  make_ranges(index);
}

void dmd_blockindex_destroy(dmd_blockindex_t *index) {
  dmd_env_free(index->env, index->first);
  dmd_env_free(index->env, index->blocks);
}

void dmd_blockindex_fetch(const dmd_blockindex_t *index, const uint64_t *addrs, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    __builtin_prefetch(&index->first[range_of(index, addrs[i])]);
  for (uint32_t i = 0; i < n; i++)
    __builtin_prefetch(&index->blocks[index->first[range_of(index, addrs[i])]]);
  /* Without this the compiler would treat the function as having no effect and drop the call. */
  __asm__ volatile("");
}

dmd_placed_block_t *dmd_blockindex_search(const dmd_blockindex_t *index, uint64_t addr) {
  uint32_t range = range_of(index, addr);
  uint32_t place; /* number of blocks that start at or below the address */
  DMD_SEARCH(place, index->first[range], index->first[range + 1],
             index->blocks[place].addr <= addr);
  for (int i = 0; place != 0 && i < MAX_NESTED; i++) {
    dmd_placed_block_t *placed = &index->blocks[place - 1];
    if (addr < placed->end)
      return placed;
    place = placed->outer;
  }
  return NULL;
}
