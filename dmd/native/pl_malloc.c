/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_malloc.h"

#include "base/mem.h"
#include "native/pl_real.h"

#include <errno.h>
#include <unistd.h>

/* Each function has two names, because the compiler takes the address of malloc for that of the
 * program's. It is only called from outside, so that its return address is in its caller. */
#define OURS __attribute__((noinline, used))
#define AS(name) __attribute__((alias(#name), visibility("default")))

/* Until the program's functions are found, the loader and dlsym get early memory. */
static bool is_early(void) {
  if (__builtin_expect(!pl_real_is_found(), 0))
    pl_real_find();
  return __builtin_expect(!pl_real_is_found(), 0);
}

/* ---- malloc and relatives ---- */

OURS void *pl_malloc(size_t szB) {
  if (is_early())
    return pl_early_alloc(1, szB);
  void *p = g_real.malloc(szB);
  if (__builtin_expect(pl_passes(p, szB), 0))
    return p;
  pl_entry_t entry = PL_ENTRY(pl_malloc);
  return pl_told(&entry, p, szB);
}

/* Either factor may be a negative number. calloc itself handles an overflowing product. */
OURS void *pl_calloc(size_t n, size_t szB) {
  pl_entry_t entry = PL_ENTRY(pl_calloc);
  size_t larger = n > szB ? n : szB, all_szB;
  if (__builtin_mul_overflow(n, szB, &all_szB)) {
    all_szB = SIZE_MAX;
    larger = 0;
  }
  if (is_early())
    return pl_early_alloc(1, all_szB);
  void *p = g_real.calloc(n, szB);
  return pl_told(&entry, p, p == NULL ? larger : all_szB);
}

OURS void *pl_memalign(size_t alignB, size_t szB) {
  pl_entry_t entry = PL_ENTRY(pl_memalign);
  if (is_early())
    return pl_early_alloc(alignB, szB);
  return pl_told(&entry, g_real.memalign(alignB, szB), szB);
}

OURS static void *pl_aligned_alloc(size_t alignB, size_t szB) {
  pl_entry_t entry = PL_ENTRY(pl_aligned_alloc);
  if (is_early())
    return pl_early_alloc(alignB, szB);
  return pl_told(&entry, g_real.aligned_alloc(alignB, szB), szB);
}

OURS static int pl_posix_memalign(void **p, size_t alignB, size_t szB) {
  pl_entry_t entry = PL_ENTRY(pl_posix_memalign);
  if (is_early()) {
    *p = pl_early_alloc(alignB, szB);
    return 0;
  }
  int error = g_real.posix_memalign(p, alignB, szB);
  pl_told(&entry, error == 0 ? *p : NULL, szB);
  return error;
}

OURS void *pl_valloc(size_t szB) {
  pl_entry_t entry = PL_ENTRY(pl_valloc);
  if (is_early())
    return pl_early_alloc(1, szB);
  return pl_told(&entry, g_real.valloc(szB), szB);
}

size_t pl_whole_pages(size_t szB) {
  size_t page_szB = (size_t)sysconf(_SC_PAGESIZE), rest_szB = szB % page_szB;
  return rest_szB == 0 ? szB : szB - rest_szB + page_szB;
}

OURS void *pl_pvalloc(size_t szB) {
  pl_entry_t entry = PL_ENTRY(pl_pvalloc);
  if (is_early())
    return pl_early_alloc(1, szB);
  return pl_told(&entry, g_real.pvalloc(szB), pl_whole_pages(szB));
}

/* ---- free and relatives ---- */

/* Whether to call the program's function. */
static bool tell_free(const pl_entry_t *entry, void *p) {
  return p != NULL && !pl_early_has(p) && !is_early() && pl_tell_free(entry, p);
}

OURS void pl_free(void *p) {
  if (__builtin_expect(pl_passes_free(p), 0)) {
    g_real.free(p);
    return;
  }
  pl_entry_t entry = PL_ENTRY(pl_free);
  if (tell_free(&entry, p))
    g_real.free(p);
}

OURS static void pl_free_sized(void *p, size_t szB) {
  pl_entry_t entry = PL_ENTRY(pl_free_sized);
  if (!tell_free(&entry, p))
    return;
  if (g_real.free_sized != NULL)
    g_real.free_sized(p, szB);
  else
    g_real.free(p);
}

OURS static void pl_free_aligned_sized(void *p, size_t alignB, size_t szB) {
  pl_entry_t entry = PL_ENTRY(pl_free_aligned_sized);
  if (!tell_free(&entry, p))
    return;
  if (g_real.free_aligned_sized != NULL)
    g_real.free_aligned_sized(p, alignB, szB);
  else
    g_real.free(p);
}

/* ---- realloc ---- */

/* Copies a block out of early memory, which is never freed. */
static void *leave_early(const pl_entry_t *entry, void *p, size_t szB) {
  size_t old_szB = pl_early_size(p);
  void *now = is_early() ? pl_early_alloc(1, szB) : pl_told(entry, g_real.malloc(szB), szB);
  if (now != NULL)
    dmd_mem_copy(now, p, old_szB < szB ? old_szB : szB);
  return now;
}

/* The C library's reallocarray calls realloc, which would be ours; so our reallocarray does not
 * call it. */
void *pl_resize(const pl_entry_t *entry, void *p, size_t szB) {
  if (pl_early_has(p))
    return leave_early(entry, p, szB);
  if (is_early())
    return pl_early_alloc(1, szB);
  if (p == NULL || pl_passes_free(p))
    return pl_told(entry, g_real.realloc(p, szB), szB);
  pl_moving_t moving;
  if (!pl_tell_realloc_begin(entry, p, szB, &moving))
    return NULL;
  void *now = g_real.realloc(p, szB);
  pl_tell_realloc_end(entry, &moving, now, szB);
  if (now == NULL)
    pl_tell_failure(entry, szB);
  return now;
}

OURS void *pl_realloc(void *p, size_t szB) {
  pl_entry_t entry = PL_ENTRY(pl_realloc);
  return pl_resize(&entry, p, szB);
}

OURS static void *pl_reallocarray(void *p, size_t n, size_t szB) {
  pl_entry_t entry = PL_ENTRY(pl_reallocarray);
  size_t all_szB;
  if (__builtin_mul_overflow(n, szB, &all_szB)) {
    errno = ENOMEM;
    return NULL;
  }
  return pl_resize(&entry, p, all_szB);
}

/* ---- Usable sizes ---- */

OURS static size_t pl_malloc_usable_size(void *p) {
  if (p == NULL)
    return 0;
  if (__builtin_expect(pl_passes_free(p), 0))
    return g_real.malloc_usable_size(p);
  pl_entry_t entry = PL_ENTRY(pl_malloc_usable_size);
  if (pl_early_has(p))
    return pl_early_size(p);
  if (is_early())
    return 0;
  pl_tell_asked(&entry, p);
  return g_real.malloc_usable_size(p);
}

/* ---- Exported names, and those that stacks show ---- */

AS(pl_malloc) void *malloc(size_t szB);
AS(pl_calloc) void *calloc(size_t n, size_t szB);
AS(pl_realloc) void *realloc(void *p, size_t szB);
AS(pl_reallocarray) void *reallocarray(void *p, size_t n, size_t szB);
AS(pl_free) void free(void *p);
AS(pl_free_sized) void free_sized(void *p, size_t szB);
AS(pl_free_aligned_sized) void free_aligned_sized(void *p, size_t alignB, size_t szB);
AS(pl_posix_memalign) int posix_memalign(void **p, size_t alignB, size_t szB);
AS(pl_aligned_alloc) void *aligned_alloc(size_t alignB, size_t szB);
AS(pl_memalign) void *memalign(size_t alignB, size_t szB);
AS(pl_valloc) void *valloc(size_t szB);
AS(pl_pvalloc) void *pvalloc(size_t szB);
AS(pl_malloc_usable_size) size_t malloc_usable_size(void *p);

PL_NAMED(pl_malloc, "malloc")
PL_NAMED(pl_calloc, "calloc")
PL_NAMED(pl_realloc, "realloc")
PL_NAMED(pl_reallocarray, "reallocarray")
PL_NAMED(pl_free, "free")
PL_NAMED(pl_free_sized, "free_sized")
PL_NAMED(pl_free_aligned_sized, "free_aligned_sized")
PL_NAMED(pl_posix_memalign, "posix_memalign")
PL_NAMED(pl_aligned_alloc, "aligned_alloc")
PL_NAMED(pl_memalign, "memalign")
PL_NAMED(pl_valloc, "valloc")
PL_NAMED(pl_pvalloc, "pvalloc")
PL_NAMED(pl_malloc_usable_size, "malloc_usable_size")
