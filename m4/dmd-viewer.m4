dnl SPDX-License-Identifier: GPL-2.0-or-later

dnl DMD_VIEWER: what is needed to build the page of dmdv view. The core for WebAssembly needs clang and wasm-ld; the
dnl page also needs node and npm. Without them the page is left out, and the summary reports it. Release tarballs
dnl contain the built page.
AC_DEFUN([DMD_VIEWER], [
AC_ARG_ENABLE([viewer], [AS_HELP_STRING([--disable-viewer], [build dmdv without the page of dmdv view])])
AC_ARG_VAR([WASM_CC], [compiler for WebAssembly, a clang])
AC_CHECK_PROGS([WASM_CC], [clang])
AC_CHECK_PROGS([WASM_LD], [wasm-ld])
AC_CHECK_PROGS([NODE], [node nodejs])
AC_CHECK_PROGS([NPM], [npm])
dmd_have_wasm="no: install clang lld"
AS_IF([test -n "$WASM_CC" && test -n "$WASM_LD"], [
  AC_CACHE_CHECK([whether $WASM_CC compiles for WebAssembly], [dmd_cv_wasm], [
    AS_ECHO(["int f (void) { return 0; }"]) >conftest.c
    AS_IF([$WASM_CC --target=wasm32 -mbulk-memory -c -o conftest.wasm conftest.c >&AS_MESSAGE_LOG_FD 2>&1],
      [dmd_cv_wasm=yes], [dmd_cv_wasm=no])
    rm -f conftest.c conftest.wasm])
  AS_IF([test $dmd_cv_wasm = yes], [dmd_have_wasm=yes])])
AS_IF([test "$enable_viewer" = no], [dmd_have_viewer="no: --disable-viewer"],
  [test -f "$srcdir/viewer/page.html" && test ! -e "$srcdir/.git"], [dmd_have_viewer="yes: the page of the release"],
  [test "$dmd_have_wasm" != yes], [dmd_have_viewer=$dmd_have_wasm],
  [test -z "$NODE" || test -z "$NPM"], [dmd_have_viewer="no: install nodejs npm"],
  [dmd_have_viewer=yes])
AM_CONDITIONAL([HAVE_WASM], [test "$dmd_have_wasm" = yes])
AM_CONDITIONAL([BUILD_VIEWER], [test "$dmd_have_viewer" = yes])
AM_CONDITIONAL([HAVE_VIEWER], [case $dmd_have_viewer in yes*) true ;; *) false ;; esac])
])
