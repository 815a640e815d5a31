/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_jemalloc.h: the functions that jemalloc has beside those of the C library (jemalloc(3)), in
 * front of the program's own, where it has them. Without an allocator that has them nobody calls
 * ours, which then answer as if there were no memory.
 *
 * Concurrency: as pl_malloc.h.
 */
#ifndef DMD_PRELOAD_PL_JEMALLOC_H
#define DMD_PRELOAD_PL_JEMALLOC_H

#include "preload/pl_thread.h"

/* As those of pl_malloc.h, of the numbers from PL_IN_MALLOCX to PL_IN_NEW. */
uint64_t pl_jemalloc_address(pl_in_t in);
const char *pl_jemalloc_name(uint64_t address);

#endif
