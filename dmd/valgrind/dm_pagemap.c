/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_vki.h"

#include "valgrind/dm_pagemap.h"

Int dm_pagemap_open(void) {
  return VG_(fd_open)("/proc/self/pagemap", VKI_O_RDONLY, 0);
}

Bool dm_pagemap_read(Int fd, Addr addr, ULong *entries, Int n) {
  Off64T place = addr / VKI_PAGE_SIZE * sizeof *entries;
  Int szB = n * (Int)sizeof *entries;
  return fd >= 0 && VG_(lseek)(fd, place, VKI_SEEK_SET) == place &&
         VG_(read)(fd, entries, szB) == szB;
}

/*--- Which pages are worth reading ---*/

/* -1: not open. */
static Int g_fd = -1;

void dm_pagemap_end(void) {
  if (g_fd >= 0)
    VG_(close)(g_fd);
  g_fd = -1;
}

/* A page that is neither in memory nor swapped out is empty, or belongs to a file. */
bool dm_memory_holds(void *ctx, uint64_t addr, size_t n, bool *holds) {
  ULong entries[DM_PAGES_AT_ONCE];
  (void)ctx;
  if (g_fd < 0)
    g_fd = dm_pagemap_open();
  if (n > DM_PAGES_AT_ONCE || !dm_pagemap_read(g_fd, addr, entries, (Int)n))
    return false;
  for (size_t i = 0; i < n; i++)
    holds[i] = (entries[i] >> DM_PAGE_PRESENT & 1) || (entries[i] >> DM_PAGE_SWAPPED & 1);
  return true;
}
