dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl
dnl How configure handles missing dependencies: it looks for everything first, and then lists all that is missing at
dnl once, one line each, with the package that provides it.

dnl DMD_MISSING(WHAT, DEBIAN-PACKAGE, [FEDORA-PACKAGE = DEBIAN-PACKAGE])
dnl Shell code that records WHAT as missing. Nothing can be built without it.
AC_DEFUN([DMD_MISSING], [m4_pushdef([dmd_fedora], m4_default([$3], [$2]))dnl
dmd_missing="$dmd_missing
configure: error: $1 not found: install m4_if([$2], dmd_fedora, [$2], [$2 (Debian) or m4_defn([dmd_fedora]) (Fedora)])"dnl
m4_popdef([dmd_fedora])])

dnl DMD_MISSING_REPORT: stops here if anything is missing.
AC_DEFUN([DMD_MISSING_REPORT], [
if test -n "$dmd_missing"; then
  AS_ECHO(["$dmd_missing"]) | sed 1d >&2
  AS_ECHO(["$dmd_missing"]) >&AS_MESSAGE_LOG_FD
  AS_EXIT([1])
fi
])
