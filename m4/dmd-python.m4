dnl SPDX-License-Identifier: GPL-2.0-or-later

dnl DMD_PYTHON: PYTHON, the Python 3 that runs the tool tests: the first that has jsonschema. A python3 of the user's
dnl own may come first in PATH and not see the modules that the distribution installed.
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
