/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_jemalloc.h: replacements for jemalloc's own functions (jemalloc(3)), beside those of the C
 * library. If the program's allocator lacks them, ours are never called in practice and fail as if
 * out of memory.
 *
 * Concurrency: as pl_malloc.h.
 */
#ifndef DMD_NATIVE_PL_JEMALLOC_H
#define DMD_NATIVE_PL_JEMALLOC_H

#endif
