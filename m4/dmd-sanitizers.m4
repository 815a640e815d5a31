dnl SPDX-License-Identifier: GPL-2.0-or-later

dnl DMD_SANITIZERS: --enable-asan and --enable-ubsan, as SANITIZER_CFLAGS. They apply to the hosted core, dmdv and the
dnl unit tests. The tool and programs that run under Valgrind (examples, tool tests) are never built with them.
AC_DEFUN([DMD_SANITIZERS], [
AC_ARG_ENABLE([asan], [AS_HELP_STRING([--enable-asan], [build dmdv and the unit tests with AddressSanitizer])],
  [], [enable_asan=no])
AC_ARG_ENABLE([ubsan],
  [AS_HELP_STRING([--enable-ubsan], [build dmdv and the unit tests with UndefinedBehaviorSanitizer])],
  [], [enable_ubsan=no])
SANITIZER_CFLAGS=
AS_IF([test "x$enable_asan" = xyes], [DMD_SANITIZER_ADD([AddressSanitizer], [-fsanitize=address])])
AS_IF([test "x$enable_ubsan" = xyes],
  [DMD_SANITIZER_ADD([UndefinedBehaviorSanitizer], [-fsanitize=undefined -fno-sanitize-recover=undefined])])
AS_IF([test -n "$SANITIZER_CFLAGS"], [SANITIZER_CFLAGS="$SANITIZER_CFLAGS -fno-omit-frame-pointer"])
AC_SUBST([SANITIZER_CFLAGS])
DMD_THREAD_SANITIZER
])

dnl DMD_THREAD_SANITIZER: whether programs with ThreadSanitizer can be built and run, which is not so on every kernel.
dnl The tests with threads, and nothing else, are always built with it.
AC_DEFUN([DMD_THREAD_SANITIZER], [
AC_MSG_CHECKING([for ThreadSanitizer])
dmd_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -fsanitize=thread -pthread"
AC_RUN_IFELSE([AC_LANG_PROGRAM([], [])], [dmd_have_tsan=yes], [dmd_have_tsan=no], [dmd_have_tsan=no])
CFLAGS=$dmd_save_CFLAGS
AC_MSG_RESULT([$dmd_have_tsan])
AS_IF([test $dmd_have_tsan = no], [dmd_have_tsan="no: programs with -fsanitize=thread cannot be built or run here (Fedora: install libtsan)"])
AM_CONDITIONAL([HAVE_TSAN], [test "$dmd_have_tsan" = yes])
])

dnl DMD_SANITIZER_ADD(NAME, FLAGS): adds FLAGS if a program links with them; otherwise stops.
AC_DEFUN([DMD_SANITIZER_ADD], [
AC_MSG_CHECKING([for $1])
dmd_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS $2"
AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
  [AC_MSG_RESULT([$2])
   SANITIZER_CFLAGS="$SANITIZER_CFLAGS $2"],
  [AC_MSG_RESULT([no])
   AC_MSG_ERROR([$CC cannot link with $2: install its sanitizer libraries (Debian: they come with gcc; for clang libclang-rt-dev. Fedora: libasan libubsan)])])
CFLAGS=$dmd_save_CFLAGS
])
