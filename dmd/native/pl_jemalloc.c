/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Replacements for jemalloc's own functions (jemalloc(3)), beside those of the C library. If the
 * program's allocator lacks them, ours are never called in practice and fail as if out of memory.
 */
#include "native/pl_malloc.h"
#include "native/pl_real.h"

PL_REPLACE(void *, mallocx, (size_t szB, int flags)) {
  pl_entry_t entry = PL_ENTRY(mallocx);
  if (g_real.mallocx == NULL)
    return NULL;
  return pl_record_alloc(&entry, g_real.mallocx(szB, flags), szB);
}

PL_REPLACE(void *, rallocx, (void *p, size_t szB, int flags)) {
  pl_entry_t entry = PL_ENTRY(rallocx);
  pl_moving_t moving;
  if (g_real.rallocx == NULL)
    return NULL;
  if (!pl_record_realloc_begin(&entry, p, szB, &moving))
    return NULL;
  void *now = g_real.rallocx(p, szB, flags);
  pl_record_realloc_end(&entry, &moving, now, szB);
  return now;
}

/* The block stays where it is. If its size changed it is recorded again, with as much of the extra
 * size as fits. */
PL_REPLACE(size_t, xallocx, (void *p, size_t szB, size_t extra_szB, int flags)) {
  pl_entry_t entry = PL_ENTRY(xallocx);
  if (g_real.xallocx == NULL)
    return 0;
  size_t before_szB = g_real.malloc_usable_size(p), most_szB;
  size_t now_szB = g_real.xallocx(p, szB, extra_szB, flags);
  if (__builtin_add_overflow(szB, extra_szB, &most_szB))
    most_szB = SIZE_MAX;
  if (now_szB != before_szB && now_szB >= szB) {
    pl_moving_t moving;
    if (pl_record_realloc_begin(&entry, p, szB, &moving))
      pl_record_realloc_end(&entry, &moving, p, most_szB < now_szB ? most_szB : now_szB);
  }
  return now_szB;
}

PL_REPLACE(void, dallocx, (void *p, int flags)) {
  pl_entry_t entry = PL_ENTRY(dallocx);
  if (g_real.dallocx == NULL)
    return;
  if (pl_record_free(&entry, p))
    g_real.dallocx(p, flags);
}

PL_REPLACE(void, sdallocx, (void *p, size_t szB, int flags)) {
  pl_entry_t entry = PL_ENTRY(sdallocx);
  if (g_real.sdallocx == NULL)
    return;
  if (pl_record_free(&entry, p))
    g_real.sdallocx(p, szB, flags);
}
