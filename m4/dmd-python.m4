dnl SPDX-License-Identifier: GPL-2.0-or-later

dnl DMD_PYTHON: sets PYTHON, the Python 3 for the tool tests, to the first one that has jsonschema. The user's own
dnl python3 may come first in PATH and lack the modules that the distribution installed.
AC_DEFUN([DMD_PYTHON], [
AC_ARG_VAR([PYTHON], [Python 3 with the module jsonschema, for the tests])
AC_MSG_CHECKING([for a Python 3 with jsonschema])
AS_IF([test -z "$PYTHON"], [
  for dmd_prog in python3 /usr/bin/python3; do
    AS_IF([$dmd_prog -c 'import jsonschema' >/dev/null 2>&1], [PYTHON=$dmd_prog; break])
  done
])
AC_MSG_RESULT([${PYTHON:-no}])
PYTHON=${PYTHON:-python3}
])
