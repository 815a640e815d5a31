dnl SPDX-License-Identifier: GPL-2.0-or-later

dnl DMD_ZLIB_IN_TOOL: whether the static libz.a links into the tool, which has no libc. If so, defines DMD_HAVE_ZLIB;
dnl otherwise the tool writes plain .json. The stubs are those that dmd/valgrind/dm_gzip.c provides. Not on x86: there
dnl zlib's stack-protected functions read their guard from %gs:0x14, which a tool does not have.
AC_DEFUN([DMD_ZLIB_IN_TOOL], [
TOOL_ZLIB_LIBS=
dmd_have_zlib=no
AS_IF([test -n "$dmd_missing"], [],
  [test "x$VALGRIND_ARCH" = xx86], [dmd_have_zlib="no: not possible on x86"], [
  AC_MSG_CHECKING([whether the static zlib links into the tool])
  DMD_TOOL_IFELSE([LINK], [
#include <zlib.h>
void *malloc (SizeT n);
void free (void *p);
void __stack_chk_fail (void);
extern unsigned long __stack_chk_guard;
void *malloc (SizeT n) { (void) n; return NULL; }
void free (void *p) { (void) p; }
void __stack_chk_fail (void) { for (;;) ; }
unsigned long __stack_chk_guard;
],
    [z_stream z = { 0 };
     deflateInit2 (&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
     deflateParams (&z, 0, Z_DEFAULT_STRATEGY);
     deflate (&z, Z_FINISH);
     deflateEnd (&z);],
    [dmd_have_zlib=yes
     TOOL_ZLIB_LIBS=-l:libz.a
     AC_DEFINE([DMD_HAVE_ZLIB], [1], [Define to 1 if the static zlib links into the tool.])],
    [dmd_have_zlib="no: install zlib1g-dev (Debian) or zlib-static (Fedora)"],
    [-l:libz.a])
  AC_MSG_RESULT([$dmd_have_zlib])
])
AC_SUBST([TOOL_ZLIB_LIBS])
AM_CONDITIONAL([HAVE_ZLIB_IN_TOOL], [test "$dmd_have_zlib" = yes])
])
