/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_memory.h: the program's memory, for dmd_engine_host_t: reads it at any address, and says which
 * of it exists and is in physical memory.
 *
 * Memory that is not the program's is never touched. Reading a page that the program may read can
 * still trap (a mapped file's page beyond the file's end). So reads must be between begin and end,
 * while Valgrind passes traps to us. Other work may be done in between, and these pairs may be
 * nested.
 */
#ifndef DMD_VALGRIND_DM_MEMORY_H
#define DMD_VALGRIND_DM_MEMORY_H

#include "pub_tool_basics.h"

#include "record/host.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void dm_memory_begin(void *ctx);
void dm_memory_end(void *ctx);

/* Copies n > 0 bytes at addr, all within one page of DMD_PAGE_SZB. Returns how many were read: all
 * or none. */
size_t dm_memory_read(void *ctx, uint64_t addr, void *to, size_t n);

/* Whether each of n pages from addr on is worth reading. Opens the kernel's page map when first
 * needed; dm_memory_end closes it, since a forked process has another. */
bool dm_memory_holds(void *ctx, uint64_t addr, size_t n, bool *holds);

/* The start address of each of the program's segments, *n of them, in ascending order. The caller
 * frees the array. */
Addr *dm_segment_starts(Int *n);

/* The physical memory of the program, without Valgrind's.
 *
 * The program and the tool are one process, so the kernel's totals say little. Instead the mappings
 * are read: Valgrind knows which of them are the program's, and /proc/self/smaps says how much of
 * each is in physical memory. If the kernel has merged a mapping of the program's with one of
 * Valgrind's, /proc/self/pagemap is read page by page. Files that Valgrind preloads into the
 * program are left out.
 *
 * Cost: the kernel's time for smaps, about 60 ms per resident GiB in pages of 4 KiB.
 *
 * arena: the size of Valgrind's arena for the program's blocks. */
dmd_physical_t dm_resident_measure(void *ctx);

/* The most physical memory that the process ever had, with Valgrind's. */
uint64_t dm_most_resident(void *ctx);

#endif
