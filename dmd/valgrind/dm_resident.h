/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_resident.h: the physical memory of the program, without Valgrind's.
 *
 * The program and the tool are one process, so the kernel's totals say little. Instead the mappings
 * are read: Valgrind knows which of them are the program's, and /proc/self/smaps says how much of
 * each is in physical memory. If the kernel has merged a mapping of the program's with one of
 * Valgrind's, /proc/self/pagemap is read page by page. Files that Valgrind preloads into the
 * program are left out.
 *
 * Cost: the kernel's time for smaps, about 60 ms per resident GiB in pages of 4 KiB.
 */
#ifndef DMD_VALGRIND_DM_RESIDENT_H
#define DMD_VALGRIND_DM_RESIDENT_H

#include "model/profile/profile.h"

/* For dmd_engine_host_t. Fills in memory->resident and resident_unique, or leaves them unchanged if
 * /proc is not available. Also fills in heap_overhead: what Valgrind's arena for the program's
 * blocks takes beyond in_blocks_szB, the usable bytes of all blocks in it. */
void dm_resident_measure(void *ctx, dmd_footprint_t *memory, uint64_t in_blocks_szB);

#endif
