/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_segments.h: Valgrind's list of the program's segments of the address space.
 */
#ifndef DMD_VALGRIND_DM_SEGMENTS_H
#define DMD_VALGRIND_DM_SEGMENTS_H

#include "pub_tool_basics.h"

/* The start address of each of the program's segments, *n of them, in ascending order. The caller
 * frees the array. */
Addr *dm_segment_starts(Int *n);

#endif
