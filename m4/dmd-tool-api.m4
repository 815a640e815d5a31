dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl
dnl Differences between the tool interfaces of Valgrind's releases. Each is detected by compiling against the interface,
dnl never by a version number, since distributions apply patches. A new difference takes one more DMD_TOOL_API_TEST
dnl line.

AC_DEFUN([DMD_TOOL_API], [
dmd_without=
DMD_TOOL_API_TEST([DMD_VG_HAVE_ORIG_ALIGN], [aligned allocation gets orig_align],
  [Define to 1 if the aligned new functions and memalign take an orig_align argument (Valgrind 3.23 and later).],
  [static void *f (ThreadId t, SizeT n, SizeT a, SizeT o) { (void) t; (void) n; (void) a; (void) o; return NULL; }],
  [VG_(needs_malloc_replacement) (0, 0, f, 0, f, f, 0, 0, 0, 0, 0, 0, 0, 0, 0);])
DMD_TOOL_API_TEST([DMD_VG_HAVE_REALLOC_ZERO], [--realloc-zero-bytes-frees],
  [Define to 1 if VG_(clo_realloc_zero_bytes_frees) exists (Valgrind 3.21 and later).],
  [], [VG_(clo_realloc_zero_bytes_frees) = True;])
DMD_TOOL_PRIVATE_TEST([DMD_VG_HAVE_READ_INLINE_INFO], [clo_read_inline_info],
  [extern Bool VG_(clo_read_inline_info);], [VG_(clo_read_inline_info) = True;],
  [stacks have inlined calls with --read-inline-info=yes only])
DMD_TOOL_PRIVATE_TEST([DMD_VG_HAVE_LOOKUP_SYMBOL], [lookup_symbol_SLOW],
  [extern Bool VG_(lookup_symbol_SLOW) (DiEpoch ep, const HChar *soname, const HChar *name, void *found);],
  [(void) VG_(lookup_symbol_SLOW) (VG_(current_DiEpoch) (), "", "", NULL);],
  [--allocator=auto goes by the names of libraries alone])
DMD_TOOL_PRIVATE_TEST([DMD_VG_HAVE_REDIR_DO_LOOKUP], [redir_do_lookup],
  [extern Addr VG_(redir_do_lookup) (Addr code, Bool *is_wrapped);], [(void) VG_(redir_do_lookup) (0, NULL);],
  [that a program's own operator new never runs goes unsaid])
DMD_TOOL_PRIVATE_TEST([DMD_VG_HAVE_MERGE_RECURSIVE_FRAMES], [clo_merge_recursive_frames],
  [extern Int VG_(clo_merge_recursive_frames);], [VG_(clo_merge_recursive_frames) = 0;],
  [--merge-recursive-frames is read from the command line])
DMD_TOOL_API_TEST([DMD_VG_HAVE_GUEST_CHASE], [vex_control.guest_chase],
  [Define to 1 if libvex has vex_control.guest_chase.],
  [#include "libvex.h"
extern VexControl vex_control;], [vex_control.guest_chase = False;])
DMD_REPLACED_TEST([free_sized])
DMD_REPLACED_TEST([free_aligned_sized])
AC_SUBST([PRELOAD_CPPFLAGS])
])

dnl DMD_REPLACED_TEST(FUNCTION): adds -DDMD_REPLACE_FUNCTION to PRELOAD_CPPFLAGS unless Valgrind's own library of
dnl replacements has FUNCTION. Its number there is the class of free and one of several priorities.
AC_DEFUN([DMD_REPLACED_TEST], [
AS_IF([test -z "$dmd_missing"], [
  AC_CACHE_CHECK([whether Valgrind replaces $1], [dmd_cv_vg_replaces_$1], [
    dmd_cv_vg_replaces_$1=no
    dmd_save_CFLAGS=$CFLAGS dmd_save_LIBS=$LIBS
    CFLAGS=$dmd_machine LIBS=$PRELOAD_LIBS
    for dmd_number in 10050 10051 10052; do
      AC_LINK_IFELSE([AC_LANG_SOURCE([[
extern void _vgr${dmd_number}ZU_VgSoSynsomalloc_$1 (void);
int main (void) { _vgr${dmd_number}ZU_VgSoSynsomalloc_$1 (); return 0; }
]])], [dmd_cv_vg_replaces_$1=yes])
    done
    CFLAGS=$dmd_save_CFLAGS LIBS=$dmd_save_LIBS])
  AS_IF([test "$dmd_cv_vg_replaces_$1" = no],
    [PRELOAD_CPPFLAGS="$PRELOAD_CPPFLAGS -DDMD_REPLACE_[]m4_toupper([$1])=1"])
])
])

dnl DMD_TOOL_API_TEST(MACRO, WHAT, DESCRIPTION, PROLOGUE, BODY): defines MACRO if BODY compiles.
AC_DEFUN([DMD_TOOL_API_TEST], [
AS_IF([test -z "$dmd_missing"], [
  AC_MSG_CHECKING([whether Valgrind has: $2])
  DMD_TOOL_IFELSE([COMPILE], [$4], [$5],
    [AC_MSG_RESULT([yes])
     AC_DEFINE([$1], [1], [$3])],
    [AC_MSG_RESULT([no])])
])
])

dnl DMD_TOOL_PRIVATE_TEST(MACRO, SYMBOL, PROLOGUE, BODY, WITHOUT): defines MACRO if BODY links. BODY needs a symbol of
dnl Valgrind's core that no tool header declares (see dmd/valgrind/dm_private.h). WITHOUT, the effect of its absence, is
dnl for the summary. dmd_cv_vg_have_SYMBOL=no on configure's command line builds as if it were missing.
AC_DEFUN([DMD_TOOL_PRIVATE_TEST], [
AS_IF([test -z "$dmd_missing"], [
  AC_CACHE_CHECK([whether Valgrind has: VG_($2)], [dmd_cv_vg_have_$2],
    [DMD_TOOL_IFELSE([LINK], [#include "pub_tool_debuginfo.h"
$3], [$4], [dmd_cv_vg_have_$2=yes], [dmd_cv_vg_have_$2=no])])
  AS_IF([test "$dmd_cv_vg_have_$2" = yes],
    [AC_DEFINE([$1], [1], [Define to 1 if Valgrind has VG_($2).])],
    [dmd_without="$dmd_without
  without           VG_($2): $5"])
])
])
