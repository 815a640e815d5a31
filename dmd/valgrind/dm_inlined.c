/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"

#include "base/str.h"
#include "valgrind/dm_inlined.h"
#include "valgrind/dm_private.h"

static Bool g_leave_out;

void dm_inlined_default(void) {
  dm_set_read_inline_info(True);
}

void dm_inlined_init(void) {
  g_leave_out = dm_option_given("read-inline-info=") == NULL;
}

/* Including the dynamic linker. */
static Bool is_c_library(const HChar *path) {
  static const HChar *const names[] = {"libc.so.6", "libc-2.*.so", "ld-linux*.so.*", "ld-2.*.so"};
  const HChar *slash = VG_(strrchr)(path, '/');
  for (UInt i = 0; i < sizeof names / sizeof *names; i++)
    if (dmd_glob_matches(names[i], slash == NULL ? path : slash + 1))
      return True;
  return False;
}

/* Newer Valgrinds read most of an object's debug information when an address in it is first
 * described, which happens for the C library sooner or later in any case. This makes them read it
 * now. */
static void have_it_read(Addr code, SizeT szB) {
  const DebugInfo *di = NULL;
  while ((di = VG_(next_DebugInfo)(di)) != NULL)
    if (VG_(DebugInfo_get_text_avma)(di) - code < szB)
      VG_(describe_IP)(VG_(current_DiEpoch)(), VG_(DebugInfo_get_text_avma)(di), NULL);
}

/* The core reports each part of an object after it was mapped, and reads the object when it has
 * seen the last part, which is data; the code is mapped earlier. (Objects present from the start,
 * including the dynamic linker, were read before the core reports any.) */
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
