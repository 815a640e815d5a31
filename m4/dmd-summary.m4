dnl SPDX-License-Identifier: GPL-2.0-or-later

dnl DMD_SUMMARY: prints what was found, at the end of configure.
AC_DEFUN([DMD_SUMMARY], [
AS_IF([test "$dmd_have_zlib" = yes], [dmd_output=".json.gz"], [dmd_output="plain .json (zlib in the tool: $dmd_have_zlib)"])
cat <<EOF

dmd $PACKAGE_VERSION
  Valgrind          $VALGRIND_PLATFORM, $dmd_vg_version, run by $VALGRIND_LAUNCHER
  tool goes to      $vgtooldir
  dmd.h goes to     $includedir/valgrind
  the tool writes   $dmd_output
  tool built with   $CC $TOOL_CFLAGS $TOOL_LTO
  the rest with     $CC $CFLAGS$SANITIZER_CFLAGS
  native engine     $dmd_have_native
  dmdv              $dmd_have_reader
  dmdv, pprof       $dmd_have_protobuf
  dmdv, types       $dmd_have_types
  dmdv history      $dmd_have_history
  with PostgreSQL   $dmd_have_postgresql
  memory --listen   $dmd_have_microhttpd
  dmdv push         $dmd_have_curl
  dmdv view         $dmd_have_viewer
  dmd-derive        $dmd_have_derive
  unit tests        $dmd_have_unit
  thread tests      $dmd_have_tsan
  example catalog   $dmd_have_example$dmd_without

EOF
])
