/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_jemalloc.h"

#include "native/pl_malloc.h"
#include "native/pl_real.h"

#define OURS __attribute__((noinline, used)) static
#define AS(name) __attribute__((alias(#name), visibility("default")))

OURS void *pl_mallocx(size_t szB, int flags) {
  pl_entry_t entry = PL_ENTRY(pl_mallocx);
  if (g_real.mallocx == NULL)
    return NULL;
  return pl_told(&entry, g_real.mallocx(szB, flags), szB);
}

OURS void *pl_rallocx(void *p, size_t szB, int flags) {
  pl_entry_t entry = PL_ENTRY(pl_rallocx);
  pl_moving_t moving;
  if (g_real.rallocx == NULL)
    return NULL;
  if (!pl_tell_realloc_begin(&entry, p, szB, &moving))
    return NULL;
  void *now = g_real.rallocx(p, szB, flags);
  pl_tell_realloc_end(&entry, &moving, now, szB);
  return now;
}

/* The block stays where it is. If its size changed it is recorded again, with as much of the extra
 * size as fits. */
OURS size_t pl_xallocx(void *p, size_t szB, size_t extra_szB, int flags) {
  pl_entry_t entry = PL_ENTRY(pl_xallocx);
  if (g_real.xallocx == NULL)
    return 0;
  size_t before_szB = g_real.malloc_usable_size(p), most_szB;
  size_t now_szB = g_real.xallocx(p, szB, extra_szB, flags);
  if (__builtin_add_overflow(szB, extra_szB, &most_szB))
    most_szB = SIZE_MAX;
  if (now_szB != before_szB && now_szB >= szB) {
    pl_moving_t moving;
    if (pl_tell_realloc_begin(&entry, p, szB, &moving))
      pl_tell_realloc_end(&entry, &moving, p, most_szB < now_szB ? most_szB : now_szB);
  }
  return now_szB;
}

OURS void pl_dallocx(void *p, int flags) {
  pl_entry_t entry = PL_ENTRY(pl_dallocx);
  if (g_real.dallocx == NULL)
    return;
  if (pl_tell_free(&entry, p))
    g_real.dallocx(p, flags);
}

OURS void pl_sdallocx(void *p, size_t szB, int flags) {
  pl_entry_t entry = PL_ENTRY(pl_sdallocx);
  if (g_real.sdallocx == NULL)
    return;
  if (pl_tell_free(&entry, p))
    g_real.sdallocx(p, szB, flags);
}

AS(pl_mallocx) void *mallocx(size_t szB, int flags);
AS(pl_rallocx) void *rallocx(void *p, size_t szB, int flags);
AS(pl_xallocx) size_t xallocx(void *p, size_t szB, size_t extra_szB, int flags);
AS(pl_dallocx) void dallocx(void *p, int flags);
AS(pl_sdallocx) void sdallocx(void *p, size_t szB, int flags);

PL_NAMED(pl_mallocx, "mallocx")
PL_NAMED(pl_rallocx, "rallocx")
PL_NAMED(pl_xallocx, "xallocx")
PL_NAMED(pl_dallocx, "dallocx")
PL_NAMED(pl_sdallocx, "sdallocx")
