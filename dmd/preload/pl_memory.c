/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "preload/pl_memory.h"

#include "base/arena.h"
#include "preload/pl_lock.h"
#include "preload/pl_message.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

enum { STEP_SZB = 256 * 1024, LARGE_SZB = 128 * 1024 };

/* In front of what is mapped by itself; so large that what follows is aligned for anything. */
typedef struct large {
  struct large *next, *previous; /* of all */
  size_t szB;                    /* of the mapping */
  size_t padding;
} large_t;

static struct {
  dmd_lock_t lock;
  bool is_reserved;    /* or could not be */
  char *start, *limit; /* of the range; NULL: there is none */
  char *end;           /* of what is in use of it */
  dmd_arena_t arena;
  large_t *large; /* all large pieces */
} g_memory;

/* ---- The range. ---- */

static size_t most_wanted(void) {
  struct rlimit limit;
  bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return is_limited ? 64 * MIB : sizeof(void *) > 4 ? 65536 * MIB : 256 * MIB;
}

/* What is not in use has no access rights, and so counts as no memory. */
static void reserve(void) {
  g_memory.is_reserved = true;
  for (size_t szB = most_wanted(); szB >= MIB; szB /= 2) {
    void *at = mmap(NULL, szB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED) {
      g_memory.start = g_memory.end = at;
      g_memory.limit = g_memory.start + szB;
      return;
    }
  }
}

static bool use_more(size_t szB) {
  if (szB > (size_t)(g_memory.limit - g_memory.end) ||
      mprotect(g_memory.end, szB, PROT_READ | PROT_WRITE) != 0)
    return false;
  g_memory.end += szB;
  return true;
}

static size_t grow(void *ctx, size_t szB) {
  size_t more = (szB + STEP_SZB - 1) / STEP_SZB * STEP_SZB;
  (void)ctx;
  return use_more(more) ? more : 0;
}

static void *alloc_small(size_t szB) {
  if (!g_memory.is_reserved) {
    reserve();
    if (g_memory.start != NULL && use_more(STEP_SZB))
      dmd_arena_init(&g_memory.arena, g_memory.start, STEP_SZB, grow, NULL);
    else
      g_memory.start = g_memory.limit = NULL;
  }
  return g_memory.start == NULL ? NULL : dmd_arena_alloc(&g_memory.arena, szB);
}

/* ---- Large pieces. ---- */

static void *alloc_large(size_t szB) {
  if (szB > SIZE_MAX - sizeof(large_t))
    return NULL;
  large_t *large = mmap(NULL, szB + sizeof *large, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (large == MAP_FAILED)
    return NULL;
  large->szB = szB + sizeof *large;
  pl_lock_take(&g_memory.lock);
  large->next = g_memory.large;
  if (large->next != NULL)
    large->next->previous = large;
  g_memory.large = large;
  pl_lock_give(&g_memory.lock);
  return large + 1;
}

static void free_large(large_t *large) {
  pl_lock_take(&g_memory.lock);
  if (large->next != NULL)
    large->next->previous = large->previous;
  if (large->previous != NULL)
    large->previous->next = large->next;
  else
    g_memory.large = large->next;
  pl_lock_give(&g_memory.lock);
  munmap(large, large->szB);
}

static bool is_in_large(uint64_t addr) {
  for (const large_t *large = g_memory.large; large != NULL; large = large->next)
    if (addr - (uintptr_t)large < large->szB)
      return true;
  return false;
}

bool pl_memory_has(uint64_t addr) {
  pl_lock_take(&g_memory.lock);
  bool has =
      (addr >= (uintptr_t)g_memory.start && addr < (uintptr_t)g_memory.limit) || is_in_large(addr);
  pl_lock_give(&g_memory.lock);
  return has;
}

uint32_t pl_memory_ranges(pl_range_t *ranges, uint32_t room) {
  uint32_t n = 0;
  pl_lock_take(&g_memory.lock);
  if (n++ < room)
    ranges[0] = (pl_range_t){(uintptr_t)g_memory.start, (uintptr_t)g_memory.limit};
  for (const large_t *large = g_memory.large; large != NULL; large = large->next)
    if (n++ < room)
      ranges[n - 1] = (pl_range_t){(uintptr_t)large, (uintptr_t)large + large->szB};
  pl_lock_give(&g_memory.lock);
  return n;
}

/* ---- The environment of the core. ---- */

static void *env_alloc(void *ctx, const char *cost_centre, size_t szB) {
  void *p = NULL;
  (void)ctx, (void)cost_centre;
  if (szB < LARGE_SZB) {
    pl_lock_take(&g_memory.lock);
    p = alloc_small(szB);
    pl_lock_give(&g_memory.lock);
  }
  if (p == NULL)
    p = alloc_large(szB);
  if (p == NULL)
    pl_die("the system has no memory left for the records of the program's blocks");
  return p;
}

static void env_free(void *ctx, void *p) {
  (void)ctx;
  if (p == NULL)
    return;
  if ((char *)p >= g_memory.start && (char *)p < g_memory.limit) {
    pl_lock_take(&g_memory.lock);
    dmd_arena_free(&g_memory.arena, p);
    pl_lock_give(&g_memory.lock);
  } else {
    free_large((large_t *)p - 1);
  }
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
