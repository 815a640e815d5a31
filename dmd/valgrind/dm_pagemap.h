/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_pagemap.h: the state of the process's pages according to the kernel, and whether a page is
 * worth reading, for dmd_engine_host_t.
 */
#ifndef DMD_VALGRIND_DM_PAGEMAP_H
#define DMD_VALGRIND_DM_PAGEMAP_H

#include "pub_tool_basics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of a page's entry, see proc_pid_pagemap(5). */
enum { DM_PAGE_PRESENT = 63, DM_PAGE_SWAPPED = 62, DM_PAGE_EXCLUSIVE = 56 };

enum { DM_PAGES_AT_ONCE = 512 };

/* Returns a file descriptor, or -1. */
Int dm_pagemap_open(void);

/* Reads the entries of n pages from addr on, at most DM_PAGES_AT_ONCE. */
Bool dm_pagemap_read(Int fd, Addr addr, ULong *entries, Int n);

/* Opens the page map when first needed. dm_pagemap_end closes it, since a forked process has
 * another. */
bool dm_memory_holds(void *ctx, uint64_t addr, size_t n, bool *holds);
void dm_pagemap_end(void);

#endif
