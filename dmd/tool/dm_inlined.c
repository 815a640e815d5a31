/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_seqmatch.h"
#include "pub_tool_xarray.h"

#include "dmd-config.h"
#include "tool/dm_inlined.h"

/* The core's own switch for --read-inline-info, which no tool header declares. It is on by default
 * for the heap profilers that Valgrind ships, by name; records need inlined frames just as much. */
extern Bool VG_(clo_read_inline_info);

void dm_inlined_default(void) {
  VG_(clo_read_inline_info) = True;
}

#if DMD_VG_READS_LAZILY

void dm_inlined_init(void) {}

void dm_inlined_mapped(Addr a, ULong di_handle) {
  (void)a, (void)di_handle;
}

#else

static Bool g_leave_out;

static Bool is_c_library(const HChar *path) {
  static const HChar *const names[] = {"libc.so.6", "libc-2.*.so", "libm.so.6", "libm-2.*.so"};
  const HChar *slash = VG_(strrchr)(path, '/');
  for (UInt i = 0; i < sizeof names / sizeof *names; i++)
    if (VG_(string_match)(names[i], slash == NULL ? path : slash + 1))
      return True;
  return False;
}

/* The core reads an object once its last part is mapped, and tells of each part after that: its
 * first part sets the switch in time, and what was read puts it back. */
void dm_inlined_mapped(Addr a, ULong di_handle) {
  if (!g_leave_out)
    return;
  const NSegment *segment = VG_(am_find_nsegment)(a);
  const HChar *path = segment == NULL ? NULL : VG_(am_get_filename)(segment);
  if (path != NULL)
    VG_(clo_read_inline_info) = di_handle != 0 || !is_c_library(path);
}

static Bool was_given(void) {
  for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_valgrind)); i++)
    if (VG_(strstr)(*(HChar **)VG_(indexXA)(VG_(args_for_valgrind), i), "read-inline-info=") !=
        NULL)
      return True;
  return False;
}

void dm_inlined_init(void) {
  g_leave_out = !was_given();
}

#endif
