/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_mallocfree.h"

#include "valgrind/dm_segments.h"

Addr *dm_segment_starts(Int *n) {
  Int room = 256;
  Addr *starts = VG_(malloc)("dm.segments", room * sizeof *starts);
  /* Allocating the array may add segments, but not of the program. */
  while ((*n = VG_(am_get_segment_starts)(SkFileC | SkAnonC | SkShmC, starts, room)) < 0) {
    room = -*n;
    VG_(free)(starts);
    starts = VG_(malloc)("dm.segments", room * sizeof *starts);
  }
  return starts;
}
