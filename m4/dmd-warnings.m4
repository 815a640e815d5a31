dnl SPDX-License-Identifier: GPL-2.0-or-later

dnl DMD_WARNINGS: sets WARN_CFLAGS and WARN_CXXFLAGS, for the tool and the hosted programs alike; --enable-werror.
AC_DEFUN([DMD_WARNINGS], [
AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat the compiler's warnings as errors])],
  [], [enable_werror=no])
WARN_CXXFLAGS="-Wall -Wextra"
WARN_CFLAGS="-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings"
AS_IF([test "x$enable_werror" = xyes], [
  WARN_CXXFLAGS="$WARN_CXXFLAGS -Werror"
  WARN_CFLAGS="$WARN_CFLAGS -Werror"
])
AC_SUBST([WARN_CFLAGS])
AC_SUBST([WARN_CXXFLAGS])
])
