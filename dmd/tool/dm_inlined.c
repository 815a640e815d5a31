/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"

#include "base/glob.h"
#include "tool/dm_inlined.h"
#include "tool/dm_private.h"

static Bool g_leave_out;

void dm_inlined_default(void) {
  dm_set_read_inline_info(True);
}

void dm_inlined_init(void) {
  g_leave_out = dm_option_given("read-inline-info=") == NULL;
}

/* The dynamic linker is a part of it. */
static Bool is_c_library(const HChar *path) {
  static const HChar *const names[] = {"libc.so.6", "libc-2.*.so", "ld-linux*.so.*", "ld-2.*.so"};
  const HChar *slash = VG_(strrchr)(path, '/');
  for (UInt i = 0; i < sizeof names / sizeof *names; i++)
    if (dmd_glob_matches(names[i], slash == NULL ? path : slash + 1))
      return True;
  return False;
}

/* Later Valgrinds read most of an object when they first describe an address in it, the C library's
 * sooner or later in any case. */
static void have_it_read(Addr code, SizeT szB) {
  const DebugInfo *di = NULL;
  while ((di = VG_(next_DebugInfo)(di)) != NULL)
    if (VG_(DebugInfo_get_text_avma)(di) - code < szB)
      VG_(describe_IP)(VG_(current_DiEpoch)(), VG_(DebugInfo_get_text_avma)(di), NULL);
}

/* The core tells of each part of an object after it was mapped, and takes the object in when it has
 * seen the last one, of data; the code comes before. (Those that are there from the start, with the
 * dynamic linker, it has taken in before it tells of any.) */
void dm_inlined_mapped(Addr a, SizeT szB, Bool is_code, ULong di_handle) {
  static Addr code;
  static SizeT code_szB;
  const NSegment *segment = g_leave_out ? VG_(am_find_nsegment)(a) : NULL;
  const HChar *path = segment == NULL ? NULL : VG_(am_get_filename)(segment);
  if (path == NULL)
    return;
  Bool is_ours = is_c_library(path);
  if (is_ours && is_code && di_handle == 0) {
    code = a;
    code_szB = szB;
    dm_set_read_inline_info(False);
  } else if (!is_ours || di_handle != 0) {
    if (is_ours)
      have_it_read(code, code_szB);
    dm_set_read_inline_info(True);
  }
}
