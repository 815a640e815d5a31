dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl
dnl Where Valgrind's tool interface differs between its releases. What is there is found by compiling against it, never
dnl by a version number: distributions patch. A new difference is one more DMD_TOOL_API_TEST line.

AC_DEFUN([DMD_TOOL_API], [
DMD_TOOL_API_TEST([DMD_VG_HAVE_ORIG_ALIGN], [aligned allocation gets orig_align],
  [Define to 1 if the aligned new functions and memalign take an orig_align argument (Valgrind 3.23 and later).],
  [static void *f (ThreadId t, SizeT n, SizeT a, SizeT o) { (void) t; (void) n; (void) a; (void) o; return NULL; }],
  [VG_(needs_malloc_replacement) (0, 0, f, 0, f, f, 0, 0, 0, 0, 0, 0, 0, 0, 0);])
DMD_TOOL_API_TEST([DMD_VG_HAVE_REALLOC_ZERO], [--realloc-zero-bytes-frees],
  [Define to 1 if VG_(clo_realloc_zero_bytes_frees) exists (Valgrind 3.21 and later).],
  [], [VG_(clo_realloc_zero_bytes_frees) = True;])
DMD_TOOL_API_TEST([DMD_VG_READS_LAZILY], [debug information read when first needed],
  [Define to 1 if Valgrind reads an object's debug information when it is first needed (3.22 and later).],
  [extern void VG_(addr_load_di) (Addr a);], [VG_(addr_load_di) (0);], [LINK])
])

dnl DMD_TOOL_API_TEST(MACRO, WHAT, DESCRIPTION, PROLOGUE, BODY, [HOW]): define MACRO if BODY compiles, or does what HOW
dnl says.
AC_DEFUN([DMD_TOOL_API_TEST], [
AS_IF([test -z "$dmd_missing"], [
  AC_MSG_CHECKING([whether Valgrind has: $2])
  DMD_TOOL_IFELSE(m4_default([$6], [COMPILE]), [$4], [$5],
    [AC_MSG_RESULT([yes])
     AC_DEFINE([$1], [1], [$3])],
    [AC_MSG_RESULT([no])])
])
])
