dnl SPDX-License-Identifier: GPL-2.0-or-later

dnl DMD_LIBCLANG: sets DERIVE_CFLAGS and DERIVE_LIBS for the first libclang that works: in the given prefix, from
dnl llvm-config, on the compiler's default paths, or the newest in a directory laid out as on Debian.
AC_DEFUN([DMD_LIBCLANG], [
dmd_have_derive="no: install libclang-dev (Debian) or clang-devel (Fedora)"
AS_CASE([$with_libclang],
  [no], [dmd_have_derive="no: --without-libclang" dmd_clang_prefixes=],
  [''|yes], [dmd_clang_prefixes="`llvm-config --prefix 2>/dev/null` - `ls -d /usr/lib/llvm-* 2>/dev/null | sort -rV`"],
  [dmd_clang_prefixes=$with_libclang])
AS_IF([test "$dmd_have_reader" != yes], [dmd_have_derive="no: zlib is needed, too" dmd_clang_prefixes=])
AC_MSG_CHECKING([for libclang])
dmd_saved_LIBS=$LIBS dmd_saved_CPPFLAGS=$CPPFLAGS
for dmd_prefix in $dmd_clang_prefixes; do
  AS_IF([test "$dmd_prefix" = -], [DERIVE_CFLAGS= DERIVE_LIBS=-lclang],
    [DERIVE_CFLAGS="-isystem $dmd_prefix/include" DERIVE_LIBS="-L$dmd_prefix/lib -lclang"
     AS_IF([test "$dmd_prefix" = /usr], [DERIVE_CFLAGS= DERIVE_LIBS=-lclang])])
  CPPFLAGS="$dmd_saved_CPPFLAGS $DERIVE_CFLAGS" LIBS="$DERIVE_LIBS $dmd_saved_LIBS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <clang-c/Index.h>]],
    [[CXType type = {0}; return clang_Type_getValueType(type).kind + clang_Cursor_isAnonymousRecordDecl(clang_getNullCursor());]])],
    [dmd_have_derive=yes; break])
done
LIBS=$dmd_saved_LIBS CPPFLAGS=$dmd_saved_CPPFLAGS
AS_IF([test "$dmd_have_derive" = yes], [AC_MSG_RESULT([$DERIVE_LIBS])],
  [DERIVE_CFLAGS= DERIVE_LIBS=; AC_MSG_RESULT([no])])
AC_SUBST([DERIVE_CFLAGS])
AC_SUBST([DERIVE_LIBS])
])

dnl DMD_HOST_LIBRARIES: libraries that only a part of the build needs. Without one, that part is left out and the
dnl summary reports it.
AC_DEFUN([DMD_HOST_LIBRARIES], [
PKG_CHECK_MODULES([READER], [zlib], [dmd_have_reader=yes],
  [dmd_have_reader="no: install zlib1g-dev (Debian) or zlib-devel (Fedora)"])
PKG_CHECK_MODULES([UNIT], [cmocka libcjson zlib], [dmd_have_unit=yes],
  [dmd_have_unit="no: install libcmocka-dev libcjson-dev zlib1g-dev (Debian) or libcmocka-devel cjson-devel zlib-devel (Fedora)"])
PKG_CHECK_MODULES([EXAMPLE], [libcjson sqlite3], [dmd_have_example=yes],
  [dmd_have_example="no: install libcjson-dev libsqlite3-dev (Debian) or cjson-devel sqlite-devel (Fedora)"])
AC_ARG_WITH([protobuf-c], [AS_HELP_STRING([--without-protobuf-c], [dmdv without pprof's format])])
AC_CHECK_PROGS([PROTOC_C], [protoc-c])
PKG_CHECK_MODULES([PROTOBUF], [libprotobuf-c >= 1.3], [dmd_have_protobuf=yes], [dmd_have_protobuf=no])
AS_IF([test -z "$PROTOC_C" || test "$with_protobuf_c" = no], [dmd_have_protobuf=no])
AS_IF([test $dmd_have_protobuf = yes],
  [AC_DEFINE([DMD_HAVE_PROTOBUF], [1], [dmdv writes pprof's format.])],
  [PROTOBUF_CFLAGS= PROTOBUF_LIBS=
   AS_IF([test "$with_protobuf_c" = no], [dmd_have_protobuf="no: --without-protobuf-c"],
     [dmd_have_protobuf="no: install libprotobuf-c-dev protobuf-c-compiler (Debian) or protobuf-c-devel protobuf-c-compiler (Fedora)"])])
AM_CONDITIONAL([HAVE_PROTOBUF], [test "$dmd_have_protobuf" = yes])
AC_ARG_WITH([libdw], [AS_HELP_STRING([--without-libdw], [dmdv without types of blocks in heap graphs])])
PKG_CHECK_MODULES([TYPES], [libdw >= 0.180], [dmd_have_types=yes], [dmd_have_types=no])
AS_IF([test "$with_libdw" = no], [dmd_have_types=no])
AS_IF([test $dmd_have_types = yes],
  [dmd_saved_LIBS=$LIBS
   AC_SEARCH_LIBS([__cxa_demangle], [stdc++ c++], [], [dmd_have_types=no])
   LIBS=$dmd_saved_LIBS
   AS_CASE([$ac_cv_search___cxa_demangle], [-l*], [TYPES_LIBS="$TYPES_LIBS $ac_cv_search___cxa_demangle"])])
AS_IF([test $dmd_have_types != yes],
  [TYPES_CFLAGS= TYPES_LIBS=
   AS_IF([test "$with_libdw" = no], [dmd_have_types="no: --without-libdw"],
     [dmd_have_types="no: install libdw-dev g++ (Debian) or elfutils-devel gcc-c++ (Fedora)"])])
AC_ARG_WITH([sqlite], [AS_HELP_STRING([--without-sqlite], [dmdv without histories of builds])])
PKG_CHECK_MODULES([HISTORY], [sqlite3 >= 3.36], [dmd_have_history=yes], [dmd_have_history=no])
AS_IF([test "$with_sqlite" = no], [dmd_have_history=no])
AS_IF([test $dmd_have_history != yes],
  [HISTORY_CFLAGS= HISTORY_LIBS=
   AS_IF([test "$with_sqlite" = no], [dmd_have_history="no: --without-sqlite"],
     [dmd_have_history="no: install libsqlite3-dev (Debian) or sqlite-devel (Fedora)"])])
AC_ARG_WITH([libpq], [AS_HELP_STRING([--without-libpq], [dmdv history with files only, without PostgreSQL])])
PKG_CHECK_MODULES([POSTGRESQL], [libpq >= 14], [dmd_have_postgresql=yes], [dmd_have_postgresql=no])
AS_IF([test "$with_libpq" = no || test "$dmd_have_history" != yes], [dmd_have_postgresql=no])
AS_IF([test $dmd_have_postgresql != yes],
  [POSTGRESQL_CFLAGS= POSTGRESQL_LIBS=
   AS_IF([test "$dmd_have_history" != yes], [dmd_have_postgresql="no: SQLite is needed, too"],
     [test "$with_libpq" = no], [dmd_have_postgresql="no: --without-libpq"],
     [dmd_have_postgresql="no: install libpq-dev (Debian) or libpq-devel (Fedora)"])])
AC_ARG_WITH([libmicrohttpd],
  [AS_HELP_STRING([--without-libmicrohttpd], [dmdv memory without --listen])])
PKG_CHECK_MODULES([MICROHTTPD], [libmicrohttpd >= 0.9.71], [dmd_have_microhttpd=yes], [dmd_have_microhttpd=no])
AS_IF([test "$with_libmicrohttpd" = no], [dmd_have_microhttpd=no])
AS_IF([test $dmd_have_microhttpd != yes],
  [MICROHTTPD_CFLAGS= MICROHTTPD_LIBS=
   AS_IF([test "$with_libmicrohttpd" = no], [dmd_have_microhttpd="no: --without-libmicrohttpd"],
     [dmd_have_microhttpd="no: install libmicrohttpd-dev (Debian) or libmicrohttpd-devel (Fedora)"])])
AC_ARG_WITH([libcurl], [AS_HELP_STRING([--without-libcurl], [dmdv without push])])
PKG_CHECK_MODULES([CURL], [libcurl >= 7.66], [dmd_have_curl=yes], [dmd_have_curl=no])
AS_IF([test "$with_libcurl" = no], [dmd_have_curl=no])
AS_IF([test $dmd_have_curl != yes],
  [CURL_CFLAGS= CURL_LIBS=
   AS_IF([test "$with_libcurl" = no], [dmd_have_curl="no: --without-libcurl"],
     [dmd_have_curl="no: install libcurl4-openssl-dev (Debian) or libcurl-devel (Fedora)"])])
AC_ARG_WITH([libclang], [AS_HELP_STRING([--with-libclang@<:@=PREFIX@:>@],
  [dmd-derive with the libclang in PREFIX/include and PREFIX/lib; --without-libclang: no dmd-derive])])
DMD_LIBCLANG
AM_CONDITIONAL([HAVE_LIBCLANG], [test "$dmd_have_derive" = yes])
AM_CONDITIONAL([HAVE_MICROHTTPD], [test "$dmd_have_microhttpd" = yes])
AM_CONDITIONAL([HAVE_CURL], [test "$dmd_have_curl" = yes])
AM_CONDITIONAL([HAVE_LIBPQ], [test "$dmd_have_postgresql" = yes])
AM_CONDITIONAL([HAVE_SQLITE], [test "$dmd_have_history" = yes])
AM_CONDITIONAL([HAVE_LIBDW], [test "$dmd_have_types" = yes])
AM_CONDITIONAL([HAVE_READER], [test "$dmd_have_reader" = yes])
AM_CONDITIONAL([HAVE_UNIT], [test "$dmd_have_unit" = yes])
AM_CONDITIONAL([HAVE_EXAMPLE], [test "$dmd_have_example" = yes])
])
