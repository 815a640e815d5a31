dnl SPDX-License-Identifier: GPL-2.0-or-later

dnl DMD_NATIVE: decides whether to build libdmd.so, the library that records programs without Valgrind. It needs the
dnl static zlib and the GNU C library.
AC_DEFUN([DMD_NATIVE], [
AC_ARG_ENABLE([native], [AS_HELP_STRING([--disable-native], [no native engine (libdmd.so)])])
AC_ARG_VAR([NATIVE_CFLAGS], [flags to optimise libdmd.so with])
: "${NATIVE_CFLAGS=-O2 -g}"
NATIVE_BASE_CFLAGS="-std=gnu11 -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-builtin-malloc -fno-builtin-calloc -ffunction-sections -fdata-sections"
NATIVE_LDFLAGS="-shared -Wl,-z,now -Wl,-z,defs -Wl,--gc-sections -Wl,--exclude-libs,ALL"
NATIVE_LIBS=-l:libz.a
AS_IF([test "x$enable_native" = xno], [dmd_have_native="no: --disable-native"], [
  AC_MSG_CHECKING([whether the native engine can be built])
  dmd_saved_CFLAGS=$CFLAGS dmd_saved_LDFLAGS=$LDFLAGS dmd_saved_LIBS=$LIBS
  CFLAGS="$NATIVE_CFLAGS $NATIVE_BASE_CFLAGS" LDFLAGS=$NATIVE_LDFLAGS LIBS=$NATIVE_LIBS
  AC_LINK_IFELSE([AC_LANG_SOURCE([[
#define _GNU_SOURCE
#include <dlfcn.h>
#include <features.h>
#include <link.h>
#include <string.h>
#include <zlib.h>
#ifndef __GLIBC__
#error "no GNU C library"
#endif
int finish(void *z) {
  return deflate(z, Z_FINISH) + deflateInit2((z_stream *)z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY)
    + (dlsym(RTLD_NEXT, "malloc") == 0) + (strerrordesc_np(1) == 0);
}]])],
    [dmd_have_native=yes],
    [dmd_have_native="no: needs the GNU C library 2.32 or later and zlib1g-dev (Debian) or zlib-static (Fedora)"])
  CFLAGS=$dmd_saved_CFLAGS LDFLAGS=$dmd_saved_LDFLAGS LIBS=$dmd_saved_LIBS
  AC_MSG_RESULT([$dmd_have_native])])
AC_SUBST([NATIVE_BASE_CFLAGS])
AC_SUBST([NATIVE_LDFLAGS])
AC_SUBST([NATIVE_LIBS])
AM_CONDITIONAL([HAVE_NATIVE], [test "$dmd_have_native" = yes])
])
