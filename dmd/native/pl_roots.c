/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Parts of the address space belong to the allocator or to the engine. Pointers there are ignored,
 * since the program reaches that memory only through its blocks. An allocator's metadata points to
 * free blocks or to the end of a live one, and a freed block still contains what the program wrote.
 *
 * Memory of the C library's allocator is recognised by the header in front of each block: a mapping
 * of its own, an arena, or the heap at the program's break. Its lists of free blocks, in the C
 * library's data, are recognised by their shape. With another allocator, every mapping that
 * contains a block counts as the allocator's.
 */
#define _GNU_SOURCE
#include "native/pl_roots.h"

#include "base/limits.h"
#include "base/machine.h"
#include "base/sort.h"
#include "base/str.h"
#include "native/pl_channel.h"
#include "native/pl_confined.h"
#include "native/pl_files.h"
#include "native/pl_kernel.h"
#include "native/pl_memory.h"
#include "native/pl_message.h"
#include "native/pl_objects.h"
#include "native/pl_real.h"
#include "native/pl_stack.h"
#include "native/pl_state.h"
#include "native/pl_stop.h"
#include "record/heap/blocks.h"
#include "record/heap/pages.h"
#include "record/unwind/unwind.h"

#include <fcntl.h>
#include <unistd.h>

/* State for one graph. */
static struct {
  dmd_pool_t mappings; /* pl_mapping_t */
  dmd_pool_t hidden;   /* pl_range_t, in ascending order, without overlaps */
  dmd_intern_t paths;
  dmd_unwinder_t unwinder;
  int pagemap; /* -1: not open */
} g_roots = {.pagemap = -1};

typedef struct {
  dmd_pool_t found; /* in any order */
  const dmd_pool_t *mappings;
  pl_range_t last; /* the range that the last block lies in */
  bool is_libc;
} heap_t;

static void add(heap_t *s, uint64_t start, uint64_t end) {
  if (start < end)
    *(pl_range_t *)dmd_pool_at(&s->found, dmd_pool_add(&s->found)) = (pl_range_t){start, end};
}

static const pl_mapping_t *mapping_at(const heap_t *s, uint32_t number) {
  return DMD_POOL_AT(s->mappings, const pl_mapping_t, number);
}

/* The mapping that contains an address; NULL: none. */
static const pl_mapping_t *mapping_of(const heap_t *s, uint64_t addr) {
  uint32_t number;
  DMD_SEARCH(number, 0, s->mappings->last, mapping_at(s, number + 1)->start <= addr);
  return number != 0 && addr < mapping_at(s, number)->end ? mapping_at(s, number) : NULL;
}

/* Reads a word of the stopped program; 0 if it is not readable. */
static uint64_t word_at(const heap_t *s, uint64_t addr) {
  const pl_mapping_t *mapping = mapping_of(s, addr);
  uintptr_t word;
  if (mapping == NULL || !mapping->is_readable || mapping->end - addr < sizeof word)
    return 0;
  dmd_mem_copy(&word, (const void *)(uintptr_t)addr, sizeof word);
  return word;
}

/*--- The allocator's blocks ---*/

enum { WORD = sizeof(uintptr_t) };

/* glibc's chunk header. The word in front of a block is the chunk's size, with flags. The word
 * before that is the size of the previous chunk if that is free, or, for a mapped chunk, the
 * distance from the mapping's start. */
enum { IS_MAPPED = 2, IS_OF_ARENA = 4, FLAGS = 7 };

/* The maximum size of an arena's heaps, and their alignment. */
static const uint64_t ARENA_SZB = 2 * 4 * (UINT64_C(1) << 20) * sizeof(long);

static pl_range_t memory_of_libc(const heap_t *s, uint64_t addr, const pl_mapping_t *mapping) {
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
  heap_t *s = ctx;
  if ((addr >= s->last.start && addr < s->last.end) || block->flags & DMD_BLOCK_ANNOUNCED)
    return;
  const pl_mapping_t *mapping = mapping_of(s, addr);
  if (mapping == NULL)
    return;
  s->last =
      s->is_libc ? memory_of_libc(s, addr, mapping) : (pl_range_t){mapping->start, mapping->end};
  add(s, s->last.start, s->last.end);
}

/* The heap at the program's break belongs to the allocator even without a live block. */
static void note_break(heap_t *s) {
  for (uint32_t i = 1; i <= s->mappings->last; i++)
    if (dmd_str_equal(mapping_at(s, i)->path, "[heap]"))
      add(s, mapping_at(s, i)->start, mapping_at(s, i)->end);
}

/*--- Lists of free blocks ---*/

/* A bin has two words, which point to its first and its last chunk. It is treated as a chunk itself
 * of which only these two words exist, so the chunk's address is two words lower. */
enum { N_LISTS = 127, LEAST_LISTS = 64, BEFORE_SZB = 12 * WORD };

static bool is_list(const heap_t *s, uint64_t addr) {
  uint64_t list = addr - 2 * WORD, first = word_at(s, addr), last = word_at(s, addr + WORD);
  if (first == list)
    return last == list;
  return first != 0 && last != 0 && word_at(s, first + 3 * WORD) == list &&
         word_at(s, last + 2 * WORD) == list;
}

static void find_lists(heap_t *s, uint64_t start, uint64_t end) {
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

static void note_lists(heap_t *s) {
  const pl_object_t *libc = find_libc();
  for (uint32_t i = 1; libc != NULL && i <= s->mappings->last; i++) {
    const pl_mapping_t *mapping = mapping_at(s, i);
    if (mapping->is_writable && mapping->start >= libc->start && mapping->start < libc->end)
      find_lists(s, mapping->start, mapping->end);
  }
}

/*--- The engine's own memory ---*/

/* Extends the range to the end of its last page, which is mapped as well. */
static void add_pages(heap_t *s, uint64_t start, uint64_t end) {
  add(s, start, (end + DMD_PAGE_SZB - 1) & ~(uint64_t)(DMD_PAGE_SZB - 1));
}

/* Room for all current ranges, and for some that other threads may add meanwhile. */
static void note_memory(heap_t *s) {
  uint32_t room = pl_memory_ranges(NULL, 0) + 64;
  pl_range_t *ranges = dmd_env_alloc(&g_env, "pl.heap", room * sizeof *ranges);
  uint32_t n = pl_memory_ranges(ranges, room);
  for (uint32_t i = 0; i < n && i < room; i++)
    add_pages(s, ranges[i].start, ranges[i].end);
  dmd_env_free(&g_env, ranges);
}

/* Our data segment, except what the loader allocated early. */
static void note_data(heap_t *s) {
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

static void find_hidden(dmd_pool_t *ranges, const dmd_pool_t *mappings) {
  heap_t s = {.mappings = mappings, .is_libc = pl_real_is_libc()};
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

/*--- Mappings ---*/

static const char *keep(const char *text) {
  return dmd_intern_get_str(&g_roots.paths, dmd_intern_str(&g_roots.paths, text));
}

static void read_mappings(void) {
  pl_lines_t lines;
  const char *line;
  pl_lines_open(&lines, "/proc/thread-self/maps");
  while ((line = pl_lines_next(&lines)) != NULL) {
    pl_mapping_t mapping = pl_read_mapping(line);
    mapping.path = keep(mapping.path);
    *(pl_mapping_t *)dmd_pool_at(&g_roots.mappings, dmd_pool_add(&g_roots.mappings)) = mapping;
  }
  pl_lines_close(&lines);
}

/* The object's path as the loader knows it, so that the objects of frames match those of
 * mappings. */
static const char *path_of(const pl_mapping_t *mapping) {
  uint32_t object = pl_object_around(mapping->start);
  return object == DMD_NONE ? mapping->path : pl_object(object)->path;
}

/* Reading from a device may have side effects. /dev/zero and shared memory are harmless. */
static bool is_device(const char *path) {
  return dmd_str_begins(path, "/dev/") && !dmd_str_equal(path, "/dev/zero") &&
         !dmd_str_begins(path, "/dev/zero ") && !dmd_str_begins(path, "/dev/shm/") &&
         !dmd_str_begins(path, "/dev/hugepages/");
}

typedef struct {
  dmd_mapping_fn visit;
  void *visitor;
} visit_t;

static void visit_part(const visit_t *v, dmd_mapping_t mapping, pl_range_t part, bool is_hidden) {
  mapping.offset += part.start - mapping.start;
  mapping.start = part.start;
  mapping.end = part.end;
  mapping.is_heap = is_hidden;
  if (part.start < part.end)
    v->visit(v->visitor, &mapping);
}

/* Splits a mapping where hidden ranges begin and end. *next: the first hidden range that ends after
 * the mapping's start. */
static void visit_mapping(const visit_t *v, const pl_mapping_t *from, uint32_t *next) {
  bool is_file = from->path[0] == '/';
  dmd_mapping_t mapping = {.start = from->start,
                           .end = from->end,
                           .offset = from->offset,
                           .path = is_file ? path_of(from) : NULL,
                           .is_file = is_file,
                           .is_readable = from->is_readable,
                           .is_writable = from->is_writable,
                           .is_device = is_device(from->path),
                           .has_code = from->is_executable};
  uint64_t at = from->start;
  while (at < from->end) {
    const pl_range_t *hidden =
        *next <= g_roots.hidden.last ? DMD_POOL_AT(&g_roots.hidden, pl_range_t, *next) : NULL;
    if (hidden == NULL || hidden->start >= from->end) {
      visit_part(v, mapping, (pl_range_t){at, from->end}, false);
      return;
    }
    if (hidden->end <= at) {
      ++*next;
      continue;
    }
    if (hidden->start > at)
      visit_part(v, mapping, (pl_range_t){at, hidden->start}, false);
    uint64_t start = hidden->start > at ? hidden->start : at;
    at = hidden->end < from->end ? hidden->end : from->end;
    visit_part(v, mapping, (pl_range_t){start, at}, true);
  }
}

void pl_roots_mappings(void *ctx, dmd_mapping_fn visit, void *visitor) {
  const visit_t v = {visit, visitor};
  uint32_t next = 1;
  (void)ctx;
  for (uint32_t i = 1; i <= g_roots.mappings.last; i++)
    visit_mapping(&v, DMD_POOL_AT(&g_roots.mappings, const pl_mapping_t, i), &next);
}

/*--- Threads ---*/

static bool find_code(void *ctx, uintptr_t ip, dmd_code_range_t *range) {
  (void)ctx;
  uint32_t number = pl_object_find(ip);
  return number != DMD_NONE && pl_stack_code_range(number, range);
}

static const dmd_unwind_host_t g_unwind_host = {.find_code = find_code, .can_read = pl_can_read};

static const pl_mapping_t *find_mapping(uint64_t addr) {
  for (uint32_t i = 1; i <= g_roots.mappings.last; i++) {
    const pl_mapping_t *mapping = DMD_POOL_AT(&g_roots.mappings, const pl_mapping_t, i);
    if (addr >= mapping->start && addr < mapping->end)
      return mapping;
  }
  return NULL;
}

/* The stack that a thread was given, as far as it is mapped: the first thread's may grow, and its
 * initial contents lie above the part that we know. Empty if the thread is running on another
 * stack. */
static pl_range_t stack_of(const pl_stopped_t *stopped) {
  const pl_thread_t *thread = stopped->thread;
  const pl_mapping_t *mapping = find_mapping(stopped->at.sp);
  if (mapping == NULL)
    return (pl_range_t){0, 0};
  pl_range_t stack = {thread->stack_low, thread->stack_high};
  if (dmd_str_equal(mapping->path, "[stack]"))
    stack = (pl_range_t){mapping->start, mapping->end};
  if (stack.start < mapping->start)
    stack.start = mapping->start;
  return stack;
}

/* Drops our own frames; their stack memory counts for the program's frame that called us. */
static uint32_t without_ours(dmd_code_t *codes, uint64_t *sps, uint32_t n) {
  uint32_t n_kept = 0;
  for (uint32_t i = 0; i < n; i++)
    if (!pl_stack_is_ours(codes[i])) {
      codes[n_kept] = codes[i];
      sps[n_kept++] = sps[i];
    }
  return n_kept;
}

/* Where to begin the walk. Our own code has no unwind information for it, so there the walk begins
 * where the program called us. */
static dmd_walk_start_t start_of(const pl_stopped_t *stopped, pl_range_t stack) {
  const pl_context_t *at = &stopped->at;
  const pl_entry_t *entry = &stopped->thread->entry;
  dmd_walk_start_t start = {.ip = at->ip, .sp = at->sp, .fp = at->fp, .link = at->link};
  const dmd_code_t here = {at->ip, pl_object_find(at->ip)};
  if (pl_stack_is_ours(here) && entry->sp > at->sp && entry->sp < stack.end)
    start = (dmd_walk_start_t){.ip = entry->ip - 1, .sp = entry->sp, .fp = entry->fp};
  if (start.sp >= stack.start && start.sp < stack.end)
    start.top = stack.end - sizeof(uintptr_t);
  return start;
}

static void visit_thread(const pl_stopped_t *stopped, dmd_thread_fn visit, void *visitor) {
  static dmd_code_t codes[DMD_MAX_FRAMES];
  static uint64_t sps[DMD_MAX_FRAMES];
  const pl_context_t *at = &stopped->at;
  const uint64_t from = stopped->thread->roots_from;
  pl_range_t stack = stack_of(stopped);
  dmd_walk_start_t start = start_of(stopped, stack);
  uint32_t n = dmd_unwind_frames(&g_roots.unwinder, &start, codes, sps, DMD_MAX_FRAMES);
  dmd_thread_t thread = {.thread = stopped->thread->number,
                         .sp = from > at->sp && from < stack.end ? from : at->sp,
                         .stack_start = stack.start,
                         .stack_end = stack.end,
                         .red_zone_szB = PL_RED_ZONE_SZB,
                         .thread_pointer = stopped->thread_pointer,
                         .storage_follows = DMD_STORAGE_FOLLOWS,
                         .registers = at->registers,
                         .n_registers = at->n_registers,
                         .codes = codes,
                         .sps = sps,
                         .n_frames = without_ours(codes, sps, n)};
  visit(visitor, &thread);
}

void pl_roots_threads(void *ctx, dmd_thread_fn visit, void *visitor) {
  (void)ctx;
  for (uint32_t i = 0; i < pl_stop_count(); i++) {
    const pl_stopped_t *stopped = pl_stop_at(i);
    if (stopped != NULL)
      visit_thread(stopped, visit, visitor);
  }
}

/*--- Which pages are worth reading ---*/

/* A page that is neither in memory nor swapped out is empty, or belongs to a file. */
bool pl_roots_holds(void *ctx, uint64_t addr, size_t n, bool *holds) {
  enum { PRESENT = 63, SWAPPED = 62 };
  uint64_t entries[DMD_PAGES_AT_ONCE];
  (void)ctx;
  ssize_t szB = (ssize_t)(n * sizeof *entries);
  if (n > DMD_PAGES_AT_ONCE || g_roots.pagemap < 0 ||
      pread(g_roots.pagemap, entries, (size_t)szB,
            (off_t)(addr / DMD_PAGE_SZB * sizeof *entries)) != szB)
    return false;
  for (size_t i = 0; i < n; i++)
    holds[i] = (entries[i] >> PRESENT & 1) || (entries[i] >> SWAPPED & 1);
  return true;
}

void pl_roots_begin_reading(void *ctx) {
  (void)ctx;
  g_roots.pagemap = pl_open("/proc/thread-self/pagemap", O_RDONLY);
}

void pl_roots_end_reading(void *ctx) {
  (void)ctx;
  if (g_roots.pagemap >= 0)
    close(g_roots.pagemap);
  g_roots.pagemap = -1;
}

/*--- Start and end ---*/

static void say_missing(void) {
  dmd_strbuf_t line;
  if (pl_stop_n_missing() == 0)
    return;
  dmd_strbuf_init(&line, &g_env);
  dmd_strbuf_str(&line, "dmd: of the program's threads, ");
  dmd_strbuf_u64(&line, pl_stop_n_missing());
  dmd_strbuf_str(&line, " could not be stopped for the heap graph: blocks that only their "
                        "registers point to seem lost, and all of their stacks counts as in use");
  pl_say(line.text);
  dmd_strbuf_destroy(&line);
}

void pl_roots_stop(void *ctx) {
  (void)ctx;
  pl_stop_others();
  say_missing();
  dmd_pool_init(&g_roots.mappings, &g_env, "pl.roots", sizeof(pl_mapping_t));
  dmd_pool_init(&g_roots.hidden, &g_env, "pl.roots", sizeof(pl_range_t));
  dmd_intern_init(&g_roots.paths, &g_env, "pl.roots");
  dmd_unwinder_init(&g_roots.unwinder, &g_env, &g_unwind_host, false);
  read_mappings();
  find_hidden(&g_roots.hidden, &g_roots.mappings);
}

void pl_roots_go_on(void *ctx) {
  (void)ctx;
  pl_stop_end();
  dmd_unwinder_destroy(&g_roots.unwinder);
  dmd_intern_destroy(&g_roots.paths);
  dmd_pool_destroy(&g_roots.hidden);
  dmd_pool_destroy(&g_roots.mappings);
}
