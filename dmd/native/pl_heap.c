/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An allocator's metadata points to free blocks or to the end of a live one, and a freed block
 * still contains what the program wrote. Memory of the C library's allocator is recognised by the
 * header in front of each block: a mapping of its own, an arena, or the heap at the program's
 * break. Its lists of free blocks, in the C library's data, are recognised by their shape.
 */
#include "native/pl_heap.h"

#include "base/limits.h"
#include "base/sort.h"
#include "base/str.h"
#include "native/pl_channel.h"
#include "native/pl_objects.h"
#include "native/pl_real.h"
#include "native/pl_state.h"
#include "record/heap/blocks.h"

typedef struct {
  dmd_pool_t found; /* in any order */
  const dmd_pool_t *mappings;
  pl_range_t last; /* the range that the last block lies in */
  bool is_libc;
} search_t;

static void add(search_t *s, uint64_t start, uint64_t end) {
  if (start < end)
    *(pl_range_t *)dmd_pool_at(&s->found, dmd_pool_add(&s->found)) = (pl_range_t){start, end};
}

static const pl_mapping_t *mapping_at(const search_t *s, uint32_t number) {
  return DMD_POOL_AT(s->mappings, const pl_mapping_t, number);
}

/* The mapping that contains an address; NULL: none. */
static const pl_mapping_t *find_mapping(const search_t *s, uint64_t addr) {
  uint32_t number;
  DMD_SEARCH(number, 0, s->mappings->last, mapping_at(s, number + 1)->start <= addr);
  return number != 0 && addr < mapping_at(s, number)->end ? mapping_at(s, number) : NULL;
}

/* Reads a word of the stopped program; 0 if it is not readable. */
static uint64_t word_at(const search_t *s, uint64_t addr) {
  const pl_mapping_t *mapping = find_mapping(s, addr);
  uintptr_t word;
  if (mapping == NULL || !mapping->is_readable || mapping->end - addr < sizeof word)
    return 0;
  dmd_mem_copy(&word, (const void *)(uintptr_t)addr, sizeof word);
  return word;
}

/*--- Blocks ---*/

enum { WORD = sizeof(uintptr_t) };

/* glibc's chunk header. The word in front of a block is the chunk's size, with flags. The word
 * before that is the size of the previous chunk if that is free, or, for a mapped chunk, the
 * distance from the mapping's start. */
enum { IS_MAPPED = 2, IS_OF_ARENA = 4, FLAGS = 7 };

/* The maximum size of an arena's heaps, and their alignment. */
static const uint64_t ARENA_SZB = 2 * 4 * (UINT64_C(1) << 20) * sizeof(long);

static pl_range_t memory_of_libc(const search_t *s, uint64_t addr, const pl_mapping_t *mapping) {
  uint64_t size = word_at(s, addr - WORD), before = word_at(s, addr - 2 * WORD);
  uint64_t piece = addr - 2 * WORD;
  if (size & IS_MAPPED)
    return (pl_range_t){piece - before, piece + (size & ~(uint64_t)FLAGS)};
  if (size & IS_OF_ARENA)
    return (pl_range_t){addr & ~(ARENA_SZB - 1), (addr & ~(ARENA_SZB - 1)) + ARENA_SZB};
  return (pl_range_t){mapping->start, mapping->end};
}

/* Called in ascending order: most blocks lie in the same range as the previous one. */
static void note_block(void *ctx, uint64_t addr, dmd_block_t *block) {
  search_t *s = ctx;
  if ((addr >= s->last.start && addr < s->last.end) || block->flags & DMD_BLOCK_ANNOUNCED)
    return;
  const pl_mapping_t *mapping = find_mapping(s, addr);
  if (mapping == NULL)
    return;
  s->last =
      s->is_libc ? memory_of_libc(s, addr, mapping) : (pl_range_t){mapping->start, mapping->end};
  add(s, s->last.start, s->last.end);
}

/* The heap at the program's break belongs to the allocator even without a live block. */
static void note_break(search_t *s) {
  for (uint32_t i = 1; i <= s->mappings->last; i++)
    if (dmd_str_equal(mapping_at(s, i)->path, "[heap]"))
      add(s, mapping_at(s, i)->start, mapping_at(s, i)->end);
}

/*--- Lists of free blocks ---*/

/* A bin has two words, which point to its first and its last chunk. It is treated as a chunk itself
 * of which only these two words exist, so the chunk's address is two words lower. */
enum { N_LISTS = 127, LEAST_LISTS = 64, BEFORE_SZB = 12 * WORD };

static bool is_list(const search_t *s, uint64_t addr) {
  uint64_t list = addr - 2 * WORD, first = word_at(s, addr), last = word_at(s, addr + WORD);
  if (first == list)
    return last == list;
  return first != 0 && last != 0 && word_at(s, first + 3 * WORD) == list &&
         word_at(s, last + 2 * WORD) == list;
}

static void find_lists(search_t *s, uint64_t start, uint64_t end) {
  for (uint64_t addr = start; addr + N_LISTS * 2 * WORD <= end; addr += WORD) {
    uint32_t n = 0;
    while (n < N_LISTS && is_list(s, addr + n * 2 * WORD))
      n++;
    if (n >= LEAST_LISTS) {
      add(s, addr - BEFORE_SZB, addr + n * 2 * WORD);
      return;
    }
  }
}

static const pl_object_t *find_libc(void) {
  for (uint32_t i = 1; i <= pl_objects_count(); i++)
    if (dmd_str_begins(pl_object(i)->soname, "libc.so."))
      return pl_object(i);
  return NULL;
}

static void note_lists(search_t *s) {
  const pl_object_t *libc = find_libc();
  for (uint32_t i = 1; libc != NULL && i <= s->mappings->last; i++) {
    const pl_mapping_t *mapping = mapping_at(s, i);
    if (mapping->is_writable && mapping->start >= libc->start && mapping->start < libc->end)
      find_lists(s, mapping->start, mapping->end);
  }
}

/*--- The engine's own memory ---*/

/* Extends the range to the end of its last page, which is mapped as well. */
static void add_pages(search_t *s, uint64_t start, uint64_t end) {
  add(s, start, (end + DMD_PAGE_SZB - 1) & ~(uint64_t)(DMD_PAGE_SZB - 1));
}

/* Room for all current ranges, and for some that other threads may add meanwhile. */
static void note_memory(search_t *s) {
  uint32_t room = pl_memory_ranges(NULL, 0) + 64;
  pl_range_t *ranges = dmd_env_alloc(&g_env, "pl.heap", room * sizeof *ranges);
  uint32_t n = pl_memory_ranges(ranges, room);
  for (uint32_t i = 0; i < n && i < room; i++)
    add_pages(s, ranges[i].start, ranges[i].end);
  dmd_env_free(&g_env, ranges);
}

/* Our data segment, except what the loader allocated early. */
static void note_data(search_t *s) {
  uint32_t number = pl_object_around((uintptr_t)&g_env);
  uint64_t early, early_szB = pl_early_range(&early);
  uint64_t channel, channel_szB = pl_channel_range(&channel);
  if (channel_szB > 0)
    add_pages(s, channel, channel + channel_szB);
  if (number == DMD_NONE)
    return;
  add(s, pl_object(number)->start, early);
  add_pages(s, early + early_szB, pl_object(number)->end);
}

/*--- Everything together ---*/

static int compare(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_pool_t *found = ctx;
  uint64_t x = DMD_POOL_AT(found, const pl_range_t, a)->start;
  uint64_t y = DMD_POOL_AT(found, const pl_range_t, b)->start;
  return (x > y) - (x < y);
}

static void join(dmd_pool_t *ranges, const dmd_pool_t *found) {
  uint32_t *order = dmd_sorted_ids(&g_env, found->last, compare, found);
  pl_range_t *last = NULL;
  for (uint32_t i = 0; i < found->last; i++) {
    const pl_range_t *range = DMD_POOL_AT(found, const pl_range_t, order[i]);
    if (last != NULL && range->start <= last->end) {
      if (range->end > last->end)
        last->end = range->end;
      continue;
    }
    last = dmd_pool_at(ranges, dmd_pool_add(ranges));
    *last = *range;
  }
  dmd_env_free(&g_env, order);
}

void pl_heap_find(dmd_pool_t *ranges, const dmd_pool_t *mappings) {
  search_t s = {.mappings = mappings, .is_libc = pl_real_is_libc()};
  dmd_pool_init(&s.found, &g_env, "pl.heap", sizeof(pl_range_t));
  dmd_blocks_walk(g_engine.live.blocks, note_block, &s);
  if (s.is_libc) {
    note_break(&s);
    note_lists(&s);
  }
  note_memory(&s);
  note_data(&s);
  join(ranges, &s.found);
  dmd_pool_destroy(&s.found);
}
