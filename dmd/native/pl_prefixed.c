/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Our functions for allocators that programs link under names of their own (pl_replace.h): jemalloc
 * as _rjem_malloc or je_malloc (jemalloc(3)), and mimalloc as mi_malloc. They do what the
 * originals do, with blocks from the program's malloc.
 *
 * A function that the originals' callers jump to has that caller's return address, as one that is
 * called. dmd/record/engine/prefixed.c lists the names.
 */
#include "native/pl_malloc.h"
#include "native/pl_patch.h"
#include "native/pl_real.h"
#include "native/pl_replace.h"

#include "base/mem.h"
#include "native/pl_kernel.h"

#include <errno.h>
#include <unistd.h>

enum { LEAST_ALIGNB = 16, ZEROED = 0x40 }; /* what malloc aligns to; MALLOCX_ZERO */

/* The alignment in jemalloc's flags. */
static size_t alignment_of(int flags) {
  return (size_t)1 << (flags & 63);
}

/* ---- What all have in common ---- */

static void *get_block(size_t szB, size_t alignB, bool is_zeroed) {
  if (alignB <= LEAST_ALIGNB)
    return is_zeroed ? g_real.calloc(1, szB) : g_real.malloc(szB);
  void *p = g_real.memalign(alignB, szB);
  if (p != NULL && is_zeroed)
    dmd_mem_zero(p, g_real.malloc_usable_size(p));
  return p;
}

static void *allocate(const pl_entry_t *entry, size_t szB, size_t alignB, bool is_zeroed) {
  void *p = get_block(szB, alignB, is_zeroed);
  return is_zeroed ? pl_record_alloc(entry, p, szB) : pl_record_new(entry, p, szB);
}

static void *allocate_array(const pl_entry_t *entry, size_t n, size_t szB, size_t alignB,
                            bool is_zeroed) {
  size_t all_szB;
  return __builtin_mul_overflow(n, szB, &all_szB) ? NULL
                                                  : allocate(entry, all_szB, alignB, is_zeroed);
}

static int allocate_aligned(const pl_entry_t *entry, void **to, size_t alignB, size_t szB) {
  if (alignB < sizeof(void *) || (alignB & (alignB - 1)) != 0)
    return EINVAL;
  void *p = allocate(entry, szB, alignB, false);
  if (p != NULL)
    *to = p;
  return p != NULL ? 0 : ENOMEM;
}

static void release(const pl_entry_t *entry, void *p) {
  if (p != NULL && !pl_replace_is_foreign(p) && pl_record_free(entry, p))
    g_real.free(p);
}

/* The size of a block from before is not known: copies what can be read, page by page. */
static void *move_foreign(const pl_entry_t *entry, const char *p, size_t szB, size_t alignB) {
  char *now = allocate(entry, szB, alignB, true);
  int saved_errno = errno;
  for (size_t at = 0; now != NULL && at < szB && pl_can_read(NULL, (uintptr_t)(p + at));) {
    size_t n = PL_PAGE_SZB - (uintptr_t)(p + at) % PL_PAGE_SZB;
    n = n < szB - at ? n : szB - at;
    dmd_mem_copy(now + at, p + at, n);
    at += n;
  }
  errno = saved_errno;
  return now;
}

/* realloc, with an alignment. */
static void *move_block(void *p, size_t szB, size_t alignB) {
  if (alignB <= LEAST_ALIGNB)
    return g_real.realloc(p, szB);
  size_t old_szB = g_real.malloc_usable_size(p);
  void *now = g_real.memalign(alignB, szB);
  if (now != NULL) {
    dmd_mem_copy(now, p, old_szB < szB ? old_szB : szB);
    g_real.free(p);
  }
  return now;
}

static void *resize(const pl_entry_t *entry, void *p, size_t szB, size_t alignB, bool is_zeroed) {
  pl_moving_t moving;
  if (p == NULL)
    return allocate(entry, szB, alignB, is_zeroed);
  if (pl_replace_is_foreign(p))
    return move_foreign(entry, p, szB, alignB);
  if (!pl_record_realloc_begin(entry, p, szB, &moving))
    return NULL;
  size_t old_szB = g_real.malloc_usable_size(p);
  char *now = move_block(p, szB, alignB);
  pl_record_realloc_end(entry, &moving, now, szB);
  if (now == NULL)
    pl_record_failure(entry, szB);
  else if (is_zeroed && g_real.malloc_usable_size(now) > old_szB)
    dmd_mem_zero(now + old_szB, g_real.malloc_usable_size(now) - old_szB);
  else if (!is_zeroed && g_options.fill)
    pl_fill(now, old_szB);
  return now;
}

static void *resize_array(const pl_entry_t *entry, void *p, size_t n, size_t szB) {
  size_t all_szB;
  return __builtin_mul_overflow(n, szB, &all_szB) ? NULL : resize(entry, p, all_szB, 1, false);
}

static size_t usable(const pl_entry_t *entry, const void *p) {
  if (p == NULL || pl_replace_is_foreign(p))
    return 0;
  pl_record_query(entry, p);
  return g_real.malloc_usable_size((void *)(uintptr_t)p);
}

/* What glibc's malloc gives for szB bytes below its threshold for mappings. */
static size_t rounded(size_t szB) {
  enum { HEADER_SZB = sizeof(size_t), LEAST_SZB = LEAST_ALIGNB + HEADER_SZB };
  if (szB > SIZE_MAX / 2)
    return 0;
  size_t whole_szB = (szB + HEADER_SZB + LEAST_ALIGNB - 1) & ~(size_t)(LEAST_ALIGNB - 1);
  return szB < LEAST_SZB ? LEAST_SZB : whole_szB - HEADER_SZB;
}

/* ---- The functions ---- */

/* Arenas and thread caches, and the sizes of blocks that are freed, are ignored. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* As PL_REPLACE, but the function has no name that the loader sees. */
#define REPLACE(type, name, parameters, body)                                                      \
  __attribute__((noinline, used)) static type pl_##name parameters;                                \
  PL_FUNCTION(name, pl_##name, #name)                                                              \
  static type pl_##name parameters {                                                               \
    __attribute__((unused)) const pl_entry_t entry = PL_ENTRY(name);                               \
    body;                                                                                          \
  }

/* clang-format off */

/* The C library's functions under another name. */
#define PLAIN(prefix)                                                                              \
  REPLACE(void *, prefix##malloc, (size_t szB),                                                    \
          return allocate(&entry, szB, 1, false))                                                  \
  REPLACE(void *, prefix##calloc, (size_t n, size_t szB),                                          \
          return allocate_array(&entry, n, szB, 1, true))                                          \
  REPLACE(int, prefix##posix_memalign, (void **to, size_t alignB, size_t szB),                     \
          return allocate_aligned(&entry, to, alignB, szB))                                        \
  REPLACE(void *, prefix##aligned_alloc, (size_t alignB, size_t szB),                              \
          return allocate(&entry, szB, alignB, false))                                             \
  REPLACE(void *, prefix##memalign, (size_t alignB, size_t szB),                                   \
          return allocate(&entry, szB, alignB, false))                                             \
  REPLACE(void, prefix##free, (void *p),                                                           \
          release(&entry, p))                                                                      \
  REPLACE(size_t, prefix##malloc_usable_size, (const void *p),                                     \
          return usable(&entry, p))

/* xallocx never moves a block, and the program's malloc cannot resize one where it is. */
#define JEMALLOC(prefix)                                                                           \
  PLAIN(prefix)                                                                                    \
  REPLACE(void *, prefix##realloc, (void *p, size_t szB),                                          \
          return resize(&entry, p, szB, 1, false))                                                 \
  REPLACE(void *, prefix##valloc, (size_t szB),                                                    \
          return allocate(&entry, szB, (size_t)sysconf(_SC_PAGESIZE), false))                      \
  REPLACE(void, prefix##free_sized, (void *p, size_t szB),                                         \
          release(&entry, p))                                                                      \
  REPLACE(void, prefix##free_aligned_sized, (void *p, size_t alignB, size_t szB),                  \
          release(&entry, p))                                                                      \
  REPLACE(void *, prefix##mallocx, (size_t szB, int flags),                                        \
          return allocate(&entry, szB, alignment_of(flags), (flags & ZEROED) != 0))                \
  REPLACE(void *, prefix##rallocx, (void *p, size_t szB, int flags),                               \
          return resize(&entry, p, szB, alignment_of(flags), (flags & ZEROED) != 0))               \
  REPLACE(size_t, prefix##xallocx, (void *p, size_t szB, size_t extra_szB, int flags),             \
          return usable(&entry, p))                                                                \
  REPLACE(size_t, prefix##sallocx, (const void *p, int flags),                                     \
          return usable(&entry, p))                                                                \
  REPLACE(void, prefix##dallocx, (void *p, int flags),                                             \
          release(&entry, p))                                                                      \
  REPLACE(void, prefix##sdallocx, (void *p, size_t szB, int flags),                                \
          release(&entry, p))                                                                      \
  REPLACE(size_t, prefix##nallocx, (size_t szB, int flags),                                        \
          return rounded(szB))

JEMALLOC(_rjem_)
JEMALLOC(je_)

/* mimalloc takes the alignment last. A block of 0 bytes is a block, also after a realloc. */
static size_t at_least_one(size_t szB) {
  return szB == 0 ? 1 : szB;
}

PLAIN(mi_)
REPLACE(void *, mi_malloc_small, (size_t szB),
        return allocate(&entry, szB, 1, false))
REPLACE(void *, mi_mallocn, (size_t n, size_t szB),
        return allocate_array(&entry, n, szB, 1, false))
REPLACE(void *, mi_malloc_aligned, (size_t szB, size_t alignB),
        return allocate(&entry, szB, alignB, false))
REPLACE(void *, mi_zalloc, (size_t szB),
        return allocate(&entry, szB, 1, true))
REPLACE(void *, mi_zalloc_small, (size_t szB),
        return allocate(&entry, szB, 1, true))
REPLACE(void *, mi_zalloc_aligned, (size_t szB, size_t alignB),
        return allocate(&entry, szB, alignB, true))
REPLACE(void *, mi_calloc_aligned, (size_t n, size_t szB, size_t alignB),
        return allocate_array(&entry, n, szB, alignB, true))
REPLACE(void *, mi_realloc, (void *p, size_t szB),
        return resize(&entry, p, at_least_one(szB), 1, false))
REPLACE(void *, mi_realloc_aligned, (void *p, size_t szB, size_t alignB),
        return resize(&entry, p, at_least_one(szB), alignB, false))
REPLACE(void *, mi_reallocn, (void *p, size_t n, size_t szB),
        return resize_array(&entry, p, n, at_least_one(szB)))
REPLACE(void *, mi_rezalloc, (void *p, size_t szB),
        return resize(&entry, p, at_least_one(szB), 1, true))
REPLACE(void *, mi_rezalloc_aligned, (void *p, size_t szB, size_t alignB),
        return resize(&entry, p, at_least_one(szB), alignB, true))
REPLACE(void, mi_cfree, (void *p),
        release(&entry, p))
REPLACE(void, mi_free_size, (void *p, size_t szB),
        release(&entry, p))
REPLACE(void, mi_free_aligned, (void *p, size_t alignB),
        release(&entry, p))
REPLACE(void, mi_free_size_aligned, (void *p, size_t szB, size_t alignB),
        release(&entry, p))
REPLACE(size_t, mi_usable_size, (const void *p),
        return usable(&entry, p))
REPLACE(size_t, mi_malloc_size, (const void *p),
        return usable(&entry, p))

/* clang-format on */
