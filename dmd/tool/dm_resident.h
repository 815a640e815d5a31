/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_resident.h: what the program takes up, without what belongs to Valgrind.
 *
 * Program and tool are one process, so that the kernel's totals say little. So the mappings are
 * read: Valgrind knows which of them are the program's, and the kernel says in /proc/self/smaps how
 * much of each is in physical memory. If the kernel has joined a mapping of the program's with one
 * of Valgrind's, /proc/self/pagemap is read page by page. What Valgrind preloads into the program
 * is left out.
 *
 * Cost: the kernel's time for smaps; some 60 ms a GiB that is resident in pages of 4 KiB.
 */
#ifndef DMD_TOOL_DM_RESIDENT_H
#define DMD_TOOL_DM_RESIDENT_H

#include "profile/profile.h"

/* For dmd_engine_host_t: see there. Fills in memory->resident and resident_unique; leaves them
 * alone where /proc does not say. And heap_overhead: what Valgrind's arena for the program's blocks
 * takes up beyond these bytes, which are the usable ones of all blocks that are in it. */
void dm_resident_measure(void *ctx, dmd_footprint_t *memory, uint64_t in_blocks_szB);

#endif
