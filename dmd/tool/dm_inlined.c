/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_xarray.h"

#include "base/glob.h"
#include "dmd-config.h"
#include "tool/dm_inlined.h"

/* The core's own switch for --read-inline-info, which no tool header declares. It is on by default
 * for the heap profilers that Valgrind ships, by name; records need inlined frames just as much. */
extern Bool VG_(clo_read_inline_info);

static Bool g_leave_out;

void dm_inlined_default(void) {
  VG_(clo_read_inline_info) = True;
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

/* The dynamic linker is a part of it. */
static Bool is_c_library(const HChar *path) {
  static const HChar *const names[] = {"libc.so.6", "libc-2.*.so", "ld-linux*.so.*", "ld-2.*.so"};
  const HChar *slash = VG_(strrchr)(path, '/');
  for (UInt i = 0; i < sizeof names / sizeof *names; i++)
    if (dmd_glob_matches(names[i], slash == NULL ? path : slash + 1))
      return True;
  return False;
}

/* Later Valgrinds read most of an object with the first stack that it is in, the C library's sooner
 * or later in any case. */
static void have_it_read(Addr code, SizeT szB) {
#if DMD_VG_READS_LAZILY
  extern void VG_(addr_load_di)(Addr a);
  const DebugInfo *di = NULL;
  while ((di = VG_(next_DebugInfo)(di)) != NULL)
    if (VG_(DebugInfo_get_text_avma)(di) - code < szB)
      VG_(addr_load_di)(VG_(DebugInfo_get_text_avma)(di));
#else
  (void)code, (void)szB;
#endif
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
    VG_(clo_read_inline_info) = False;
  } else if (!is_ours || di_handle != 0) {
    if (is_ours)
      have_it_read(code, code_szB);
    VG_(clo_read_inline_info) = True;
  }
}
