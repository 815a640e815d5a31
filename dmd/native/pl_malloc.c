/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_malloc.h"

#include "base/mem.h"
#include "native/pl_real.h"

#include <errno.h>
#include <unistd.h>

/* Until the program's functions are found, the loader and dlsym get early memory. */
static bool is_early(void) {
  if (__builtin_expect(!pl_real_is_found(), 0))
    pl_real_find();
  return __builtin_expect(!pl_real_is_found(), 0);
}

/* ---- malloc and relatives ---- */

PL_REPLACE(void *, malloc, (size_t szB)) {
  if (is_early())
    return pl_early_alloc(1, szB);
  void *p = g_real.malloc(szB);
  if (__builtin_expect(pl_passes(p, szB), 0))
    return p;
  pl_entry_t entry = PL_ENTRY(malloc);
  return pl_told(&entry, p, szB);
}

/* Either factor may be a negative number. calloc itself handles an overflowing product. */
PL_REPLACE(void *, calloc, (size_t n, size_t szB)) {
  pl_entry_t entry = PL_ENTRY(calloc);
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

PL_REPLACE(void *, memalign, (size_t alignB, size_t szB)) {
  pl_entry_t entry = PL_ENTRY(memalign);
  if (is_early())
    return pl_early_alloc(alignB, szB);
  return pl_told(&entry, g_real.memalign(alignB, szB), szB);
}

PL_REPLACE(void *, aligned_alloc, (size_t alignB, size_t szB)) {
  pl_entry_t entry = PL_ENTRY(aligned_alloc);
  if (is_early())
    return pl_early_alloc(alignB, szB);
  return pl_told(&entry, g_real.aligned_alloc(alignB, szB), szB);
}

PL_REPLACE(int, posix_memalign, (void **p, size_t alignB, size_t szB)) {
  pl_entry_t entry = PL_ENTRY(posix_memalign);
  if (is_early()) {
    *p = pl_early_alloc(alignB, szB);
    return 0;
  }
  int error = g_real.posix_memalign(p, alignB, szB);
  pl_told(&entry, error == 0 ? *p : NULL, szB);
  return error;
}

PL_REPLACE(void *, valloc, (size_t szB)) {
  pl_entry_t entry = PL_ENTRY(valloc);
  if (is_early())
    return pl_early_alloc(1, szB);
  return pl_told(&entry, g_real.valloc(szB), szB);
}

size_t pl_whole_pages(size_t szB) {
  size_t page_szB = (size_t)sysconf(_SC_PAGESIZE), rest_szB = szB % page_szB;
  return rest_szB == 0 ? szB : szB - rest_szB + page_szB;
}

PL_REPLACE(void *, pvalloc, (size_t szB)) {
  pl_entry_t entry = PL_ENTRY(pvalloc);
  if (is_early())
    return pl_early_alloc(1, szB);
  return pl_told(&entry, g_real.pvalloc(szB), pl_whole_pages(szB));
}

/* ---- free and relatives ---- */

/* Whether to call the program's function. */
static bool tell_free(const pl_entry_t *entry, void *p) {
  return p != NULL && !pl_early_has(p) && !is_early() && pl_tell_free(entry, p);
}

PL_REPLACE(void, free, (void *p)) {
  if (__builtin_expect(pl_passes_free(p), 0)) {
    g_real.free(p);
    return;
  }
  pl_entry_t entry = PL_ENTRY(free);
  if (tell_free(&entry, p))
    g_real.free(p);
}

PL_REPLACE(void, free_sized, (void *p, size_t szB)) {
  pl_entry_t entry = PL_ENTRY(free_sized);
  if (!tell_free(&entry, p))
    return;
  if (g_real.free_sized != NULL)
    g_real.free_sized(p, szB);
  else
    g_real.free(p);
}

PL_REPLACE(void, free_aligned_sized, (void *p, size_t alignB, size_t szB)) {
  pl_entry_t entry = PL_ENTRY(free_aligned_sized);
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

PL_REPLACE(void *, realloc, (void *p, size_t szB)) {
  pl_entry_t entry = PL_ENTRY(realloc);
  return pl_resize(&entry, p, szB);
}

PL_REPLACE(void *, reallocarray, (void *p, size_t n, size_t szB)) {
  pl_entry_t entry = PL_ENTRY(reallocarray);
  size_t all_szB;
  if (__builtin_mul_overflow(n, szB, &all_szB)) {
    errno = ENOMEM;
    return NULL;
  }
  return pl_resize(&entry, p, all_szB);
}

/* ---- Usable sizes ---- */

PL_REPLACE(size_t, malloc_usable_size, (void *p)) {
  if (p == NULL)
    return 0;
  if (__builtin_expect(pl_passes_free(p), 0))
    return g_real.malloc_usable_size(p);
  pl_entry_t entry = PL_ENTRY(malloc_usable_size);
  if (pl_early_has(p))
    return pl_early_size(p);
  if (is_early())
    return 0;
  pl_tell_asked(&entry, p);
  return g_real.malloc_usable_size(p);
}
