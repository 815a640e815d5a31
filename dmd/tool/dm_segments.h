/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_segments.h: the program's pieces of the address space, as Valgrind keeps them.
 */
#ifndef DMD_TOOL_DM_SEGMENTS_H
#define DMD_TOOL_DM_SEGMENTS_H

#include "pub_tool_basics.h"

/* The start of each of the program's segments, in ascending order; the caller frees them. */
Addr *dm_segment_starts(Int *n);

#endif
