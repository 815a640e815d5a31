/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_execontext.h"
#include "pub_tool_options.h"
#include "pub_tool_xarray.h"

#include "tool/dm_place.h"

static void note_place(UInt n, DiEpoch epoch, Addr ip, void *opaque) {
  (void)n;
  dm_place_t place = {epoch, ip};
  VG_(addToXA)(opaque, &place);
}

/* Valgrind would leave out what is below main itself, and look up every frame's name to do so: told
 * to show all, it does not, and callers cut by what they know. */
void dm_place_of_stack(XArray *places, ExeContext *ec) {
  Bool show = VG_(clo_show_below_main);
  VG_(dropTailXA)(places, VG_(sizeXA)(places));
  VG_(clo_show_below_main) = True;
  VG_(apply_ExeContext)(note_place, places, ec);
  VG_(clo_show_below_main) = show;
}

Bool dm_place_object(const dm_place_t *place, const HChar **file, Addr *offset) {
  const DebugInfo *di = VG_(find_DebugInfo)(place->epoch, place->ip);
  if (di != NULL) {
    *file = VG_(DebugInfo_get_filename)(di);
    *offset = place->ip - VG_(DebugInfo_get_text_bias)(di);
    return True;
  }
  const NSegment *seg = VG_(am_find_nsegment)(place->ip);
  const HChar *name = seg == NULL ? NULL : VG_(am_get_filename)(seg);
  if (name == NULL)
    return False;
  *file = name;
  *offset = place->ip - seg->start + seg->offset;
  return True;
}
