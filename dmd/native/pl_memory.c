/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_memory.h"

#include "base/arena.h"
#include "native/pl_kernel.h"
#include "native/pl_state.h"

#include <setjmp.h>
#include <stdbool.h>
#include <sys/mman.h>

enum {
  PAGE_SZB = 4096,
  LARGE_SZB = 128 * 1024,
  REGION_SZB = 256 * 1024,   /* minimum of the arena's regions: more than any small piece takes */
  REGION_SHARE = 8,          /* a new region is this fraction of the arena */
  RESERVE_SZB = 4096 * 1024, /* the reserve: this, and room for tables that double: */
  RESERVE_DOUBLES = 3
};

/* The header of a mapping. Its size keeps what follows aligned for any type, and its last word is
 * even (base/arena.h). */
typedef struct mapping {
  struct mapping *next, *previous; /* in the list of all mappings */
  size_t szB;
  size_t zero;
} mapping_t;

static struct {
  dmd_lock_t lock;
  dmd_arena_t arena;
  size_t arena_szB; /* of all regions; 0: no region yet */
  mapping_t *mappings;
  char *reserve; /* untouched, so that it takes no physical memory */
  size_t reserve_szB;
  size_t mappings_szB;
  size_t largest_szB; /* of all mappings so far */
  bool is_short;
  void (*when_short)(uint64_t unused);
} g_memory;

void pl_memory_when_short(void (*call)(uint64_t unused)) {
  g_memory.when_short = call;
}

/* ---- The reserve (call with the lock held) ---- */

static size_t whole_pages(size_t szB) {
  return (szB + PAGE_SZB - 1) & ~(size_t)(PAGE_SZB - 1);
}

static void *map_pages(size_t szB) {
  void *at =
      mmap(NULL, szB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED)
    return NULL;
  madvise(at, szB, MADV_DONTDUMP); /* a flag of its own: the kernel joins it to no neighbour */
  return at;
}

/* Repeats the note at each shortage: the process that should have stopped recording may have been a
 * child of vfork. */
static void be_short(void) {
  g_memory.is_short = true;
  if (g_memory.when_short != NULL)
    pl_note_call(pl_thread(), g_memory.when_short, 0);
}

static void *take_from_reserve(size_t szB) {
  be_short();
  if (szB > g_memory.reserve_szB)
    return NULL;
  char *at = g_memory.reserve;
  g_memory.reserve += szB;
  g_memory.reserve_szB -= szB;
  return at;
}

/* Sized for the next mapping, which may be a table that doubles, and for mappings that accompany
 * it. */
static void keep_reserve(void) {
  size_t wanted = RESERVE_SZB + RESERVE_DOUBLES * g_memory.largest_szB;
  if (g_memory.is_short || g_memory.reserve_szB >= wanted)
    return;
  void *reserve = map_pages(wanted);
  if (reserve == NULL) {
    be_short();
    return;
  }
  madvise(reserve, wanted, MADV_NOHUGEPAGE); /* keeps a neighbour's huge pages out of it */
  if (g_memory.reserve_szB > 0)
    munmap(g_memory.reserve, g_memory.reserve_szB);
  g_memory.reserve = reserve;
  g_memory.reserve_szB = wanted;
}

/* ---- Mappings (call with the lock held) ---- */

/* Maps at least szB bytes beyond the header, preferred_szB if available. NULL: neither the system
 * nor the reserve has enough memory. */
static mapping_t *add_mapping(size_t szB, size_t preferred_szB) {
  if (szB > SIZE_MAX / 2)
    return NULL;
  size_t least = whole_pages(szB + sizeof(mapping_t)), all = whole_pages(preferred_szB);
  mapping_t *mapping = all > least ? map_pages(all) : NULL;
  if (mapping == NULL) {
    all = least;
    mapping = map_pages(all);
  }
  if (mapping == NULL)
    mapping = take_from_reserve(all);
  if (mapping == NULL)
    return NULL;
  *mapping = (mapping_t){.next = g_memory.mappings, .szB = all};
  if (mapping->next != NULL)
    mapping->next->previous = mapping;
  g_memory.mappings = mapping;
  __atomic_fetch_add(&g_memory.mappings_szB, mapping->szB, __ATOMIC_RELAXED);
  if (szB > g_memory.largest_szB)
    g_memory.largest_szB = szB;
  keep_reserve();
  return mapping;
}

static void remove_mapping(mapping_t *mapping) {
  __atomic_fetch_sub(&g_memory.mappings_szB, mapping->szB, __ATOMIC_RELAXED);
  if (mapping->next != NULL)
    mapping->next->previous = mapping->previous;
  if (mapping->previous != NULL)
    mapping->previous->next = mapping->next;
  else
    g_memory.mappings = mapping->next;
}

/* ---- Pieces ---- */

static void *alloc_large(size_t szB) {
  mapping_t *mapping = add_mapping(szB, 0);
  return mapping == NULL ? NULL : mapping + 1;
}

/* Adds a region to the arena. */
static bool add_region(void) {
  mapping_t *mapping = add_mapping(REGION_SZB, g_memory.arena_szB / REGION_SHARE);
  if (mapping == NULL)
    return false;
  size_t szB = mapping->szB - sizeof *mapping;
  if (g_memory.arena_szB == 0)
    dmd_arena_init(&g_memory.arena, mapping + 1, szB, NULL, NULL);
  else
    dmd_arena_add_region(&g_memory.arena, mapping + 1, szB);
  g_memory.arena_szB += mapping->szB;
  return true;
}

static void *alloc_small(size_t szB) {
  void *p = g_memory.arena_szB == 0 ? NULL : dmd_arena_alloc(&g_memory.arena, szB);
  if (p == NULL && add_region())
    p = dmd_arena_alloc(&g_memory.arena, szB);
  return p;
}

/* ---- Address ranges ---- */

static bool is_in_reserve(uint64_t addr) {
  return addr - (uintptr_t)g_memory.reserve < g_memory.reserve_szB;
}

static bool is_in_mapping(uint64_t addr) {
  for (const mapping_t *mapping = g_memory.mappings; mapping != NULL; mapping = mapping->next)
    if (addr - (uintptr_t)mapping < mapping->szB)
      return true;
  return false;
}

bool pl_memory_has(uint64_t addr) {
  pl_lock_take(&g_memory.lock);
  bool has = is_in_reserve(addr) || is_in_mapping(addr);
  pl_lock_give(&g_memory.lock);
  return has;
}

uint64_t pl_memory_szB(void) {
  return __atomic_load_n(&g_memory.mappings_szB, __ATOMIC_RELAXED);
}

static pl_range_t range_of(const void *start, size_t szB) {
  return (pl_range_t){(uintptr_t)start, (uintptr_t)start + szB};
}

uint32_t pl_memory_ranges(pl_range_t *ranges, uint32_t room) {
  uint32_t n = 0;
  pl_lock_take(&g_memory.lock);
  if (n++ < room)
    ranges[0] = range_of(g_memory.reserve, g_memory.reserve_szB);
  for (const mapping_t *mapping = g_memory.mappings; mapping != NULL; mapping = mapping->next)
    if (n++ < room)
      ranges[n - 1] = range_of(mapping, mapping->szB);
  pl_lock_give(&g_memory.lock);
  return n;
}

/* ---- Work that may run out of memory ---- */

bool pl_memory_try(void (*what)(void *ctx), void *ctx) {
  pl_thread_t *thread = pl_thread();
  jmp_buf here;
  void *outer = thread->way_out;
  bool is_done = _setjmp(here) == 0;
  if (is_done) {
    thread->way_out = &here;
    what(ctx);
  }
  thread->way_out = outer;
  return is_done;
}

_Noreturn static void give_up(void) {
  jmp_buf *way_out = pl_thread()->way_out;
  if (way_out != NULL)
    longjmp(*way_out, 1);
  pl_die("the system has no memory left for the records of the program's blocks");
}

/* ---- The core's environment ---- */

static void *env_alloc(void *ctx, const char *cost_centre, size_t szB) {
  (void)ctx, (void)cost_centre;
  pl_lock_take(&g_memory.lock);
  void *p = szB < LARGE_SZB ? alloc_small(szB) : alloc_large(szB);
  pl_lock_give(&g_memory.lock);
  if (p == NULL)
    give_up();
  return p;
}

static void env_free(void *ctx, void *p) {
  (void)ctx;
  if (p == NULL)
    return;
  mapping_t *mapping = (mapping_t *)p - 1;
  bool is_piece = dmd_arena_is_piece(p);
  pl_lock_take(&g_memory.lock);
  if (is_piece)
    dmd_arena_free(&g_memory.arena, p);
  else
    remove_mapping(mapping);
  pl_lock_give(&g_memory.lock);
  if (!is_piece)
    munmap(mapping, mapping->szB);
}

static void env_panic(void *ctx, const char *what) {
  (void)ctx;
  pl_die(what);
}

const dmd_env_t g_env = {.alloc = env_alloc, .free = env_free, .panic = env_panic};

void pl_memory_fork_begin(void) {
  pl_lock_take(&g_memory.lock);
}

void pl_memory_fork_end(void) {
  pl_lock_give(&g_memory.lock);
}
