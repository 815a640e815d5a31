dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl
dnl Finds an installed Valgrind, and how to compile and link a tool against it.

dnl DMD_TOOL_USER_FLAGS: the user's options for the tool's compiler flags. Must come before AC_PROG_CC, which gives
dnl CFLAGS a value. The tool has no libc, so from CFLAGS it takes only what cannot harm it: optimisation, debug
dnl information and path prefixes (for reproducible builds). Distributions put hardening flags into CFLAGS, and users
dnl sanitizers.
AC_DEFUN([DMD_TOOL_USER_FLAGS], [
AC_ARG_VAR([TOOL_CFLAGS], [C compiler flags for the tool (default: the -O, -g and -f*-prefix-map flags of CFLAGS)])
dnl Valgrind reads the tool's own symbols too, and compares them with the names of the functions to replace.
AC_ARG_VAR([TOOL_STRIP], [how the linker strips the tool, which then starts faster (default: -Wl,-s); empty: not at all])
TOOL_STRIP=${TOOL_STRIP--Wl,-s}
dmd_missing=
AS_IF([test -z "$TOOL_CFLAGS"], [
  for dmd_flag in ${CFLAGS--g -O2}; do
    AS_CASE([$dmd_flag],
      [-O*|-g*|-ffile-prefix-map=*|-fdebug-prefix-map=*|-fmacro-prefix-map=*],
      [TOOL_CFLAGS="$TOOL_CFLAGS $dmd_flag"])
  done
  TOOL_CFLAGS=${TOOL_CFLAGS# }
])
])

dnl DMD_VALGRIND: sets and substitutes
dnl   VALGRIND_ARCH VALGRIND_OS VALGRIND_PLATFORM  for example amd64, linux, amd64-linux
dnl   VALGRIND_INCLUDEDIR VALGRIND_LIBDIR          pub_tool_*.h; libcoregrind-*.a and the others
dnl   VALGRIND_LIBEXECDIR                          the directory from which the launcher takes tools
dnl   VALGRIND_LAUNCHER                            the program named valgrind
dnl   vgtooldir                                    where make install puts the tool
dnl   TOOL_BASE_CPPFLAGS TOOL_BASE_CFLAGS          to compile for the tool
dnl   TOOL_LDFLAGS TOOL_LIBS TOOL_LIB_FILES        to link the tool (the last: its prerequisites)
dnl   TOOL_LTO                                     to compile and link it with link-time optimisation
dnl   PRELOAD_CFLAGS PRELOAD_LDFLAGS PRELOAD_LIBS  to compile and link the library that is preloaded into programs
dnl   PRELOAD_CPPFLAGS                             the replacements that Valgrind's own part lacks (see dmd-tool-api.m4)
AC_DEFUN([DMD_VALGRIND], [
AC_ARG_WITH([valgrind],
  [AS_HELP_STRING([--with-valgrind=PREFIX],
    [build against the Valgrind under PREFIX, which may be an unpacked package (default: the one pkg-config knows)])],
  [], [with_valgrind=])
AC_ARG_WITH([valgrind-libexecdir],
  [AS_HELP_STRING([--with-valgrind-libexecdir=DIR], [where the launcher takes tools from (default: found)])],
  [], [with_valgrind_libexecdir=])
AC_ARG_WITH([tooldir],
  [AS_HELP_STRING([--with-tooldir=DIR],
    [install the tool into DIR (default: where the launcher takes tools from)])],
  [], [with_tooldir=])
AS_CASE([$with_valgrind], [yes], [with_valgrind=], [no], [AC_MSG_ERROR([there is nothing to build without Valgrind])])
AS_IF([test -z "$PKG_CONFIG"], [DMD_MISSING([pkg-config], [pkgconf])], [
  DMD_VALGRIND_PC
  AS_IF([test -z "$dmd_vg_pc"], [DMD_MISSING([valgrind.pc], [valgrind], [valgrind-devel])], [
    DMD_VALGRIND_FOLDERS
    DMD_VALGRIND_LAUNCHER
    DMD_VALGRIND_FLAGS
    AS_IF([test -z "$dmd_missing"], [
      DMD_VALGRIND_LINK_TEST
      DMD_TOOL_LTO
    ])
  ])
])
AC_SUBST([vgtooldir])
AM_CONDITIONAL([ARM64], [test "x$VALGRIND_ARCH" = xarm64])
dnl make distcheck runs configure again, which must find the same Valgrind.
DISTCHECK_VALGRIND_FLAGS=${with_valgrind:+"--with-valgrind=$dmd_vg_prefix"}
AC_SUBST([DISTCHECK_VALGRIND_FLAGS])
])

dnl Finds the .pc file, and the prefix that it names: a tree that was unpacked elsewhere still names /usr.
AC_DEFUN([DMD_VALGRIND_PC], [
AC_MSG_CHECKING([for valgrind.pc])
dmd_vg_pc=
AS_IF([test -n "$with_valgrind"], [
  dmd_vg_prefix=`cd "$with_valgrind" 2>/dev/null && pwd`
  test -n "$dmd_vg_prefix" || AC_MSG_ERROR([--with-valgrind: no such folder: $with_valgrind])
  for dmd_dir in "$dmd_vg_prefix"/lib/*/pkgconfig "$dmd_vg_prefix"/lib64/pkgconfig "$dmd_vg_prefix"/lib/pkgconfig \
                 "$dmd_vg_prefix"/share/pkgconfig; do
    test -f "$dmd_dir/valgrind.pc" && dmd_vg_pc=$dmd_dir/valgrind.pc && break
  done
  test -n "$dmd_vg_pc" || AC_MSG_ERROR([--with-valgrind: no valgrind.pc under $dmd_vg_prefix])
], [
  dmd_dir=`$PKG_CONFIG --variable=pcfiledir valgrind 2>/dev/null`
  AS_IF([test -n "$dmd_dir"], [
    dmd_vg_pc=$dmd_dir/valgrind.pc
    dmd_vg_prefix=`$PKG_CONFIG --variable=prefix valgrind`
  ])
])
AC_MSG_RESULT([${dmd_vg_pc:-no}])
AS_IF([test -n "$dmd_vg_pc"], [
  dmd_vg_version=`$PKG_CONFIG --modversion "$dmd_vg_pc"`
  AC_DEFINE_UNQUOTED([DMD_VALGRIND_VERSION], ["$dmd_vg_version"],
    [The Valgrind that the tool is linked from; profiles say it.])
])
])

dnl Reads its variables, and checks that the paths in them exist.
AC_DEFUN([DMD_VALGRIND_FOLDERS], [
dmd_vg_pc_prefix=`$PKG_CONFIG --variable=prefix "$dmd_vg_pc"`
dmd_vg_variable ()
{
  dmd_value=`$PKG_CONFIG --variable=$[1] "$dmd_vg_pc"`
  case $dmd_value in
    "$dmd_vg_pc_prefix"/*) dmd_value=$dmd_vg_prefix${dmd_value#"$dmd_vg_pc_prefix"} ;;
  esac
  AS_ECHO(["$dmd_value"])
}
VALGRIND_ARCH=`dmd_vg_variable arch`
VALGRIND_OS=`dmd_vg_variable os`
VALGRIND_PLATFORM=`dmd_vg_variable platform`
VALGRIND_INCLUDEDIR=`dmd_vg_variable includedir`
VALGRIND_LIBDIR=`dmd_vg_variable libdir`/valgrind
dmd_vg_load_address=`dmd_vg_variable valt_load_address`
AC_SUBST([VALGRIND_ARCH])
AC_SUBST([VALGRIND_OS])
AC_SUBST([VALGRIND_PLATFORM])
AC_SUBST([VALGRIND_INCLUDEDIR])
AC_SUBST([VALGRIND_LIBDIR])
DMD_VALGRIND_PLATFORM

AC_MSG_CHECKING([for Valgrind's tool headers])
AS_IF([test -f "$VALGRIND_INCLUDEDIR/pub_tool_tooliface.h" && test -f "$VALGRIND_INCLUDEDIR/libvex.h"],
  [AC_MSG_RESULT([$VALGRIND_INCLUDEDIR])],
  [AC_MSG_RESULT([no])
   DMD_MISSING([$VALGRIND_INCLUDEDIR/pub_tool_tooliface.h], [valgrind], [valgrind-tools-devel])])

AC_MSG_CHECKING([for Valgrind's static libraries])
dmd_vg_libs=$VALGRIND_LIBDIR
for dmd_lib in coregrind vex gcc-sup replacemalloc_toolpreload; do
  dmd_lib=$VALGRIND_LIBDIR/lib$dmd_lib-$VALGRIND_PLATFORM.a
  AS_IF([test ! -f "$dmd_lib"], [
    DMD_MISSING([$dmd_lib], [valgrind], [valgrind-tools-devel])
    dmd_vg_libs=no
  ])
done
AC_MSG_RESULT([$dmd_vg_libs])
])

dnl Stops on a platform that dmd does not know, and says what would have to be written for it.
AC_DEFUN([DMD_VALGRIND_PLATFORM], [
AC_MSG_CHECKING([whether dmd knows Valgrind's platform])
AS_CASE([$VALGRIND_PLATFORM],
  [amd64-linux|x86-linux|arm64-linux], [AC_MSG_RESULT([$VALGRIND_PLATFORM])],
  [AC_MSG_RESULT([no])
   dmd_lacks=
   for dmd_file in `cd "$srcdir" && echo dmd/*/amd64/*`; do
     dmd_file=`AS_ECHO(["$dmd_file"]) | sed "s,/amd64/,/$VALGRIND_ARCH/,"`
     test -e "$srcdir/$dmd_file" || dmd_lacks="$dmd_lacks $dmd_file"
   done
   test "x$VALGRIND_OS" = xlinux || dmd_lacks="$dmd_lacks system calls of $VALGRIND_OS"
   AC_MSG_ERROR([dmd knows amd64-linux, x86-linux and arm64-linux; for $VALGRIND_PLATFORM it lacks:$dmd_lacks])])
])

dnl Finds the launcher, and the directory from which it takes tools. No .pc variable names that directory, so look where
dnl Valgrind's own tools are: libexec/valgrind on Debian and Fedora, lib/valgrind on Arch.
AC_DEFUN([DMD_VALGRIND_LAUNCHER], [
AC_MSG_CHECKING([where Valgrind takes tools from])
VALGRIND_LIBEXECDIR=
for dmd_dir in "$with_valgrind_libexecdir" "$dmd_vg_prefix/libexec/valgrind" "$VALGRIND_LIBDIR" \
               "$dmd_vg_prefix/lib/valgrind" "$dmd_vg_prefix/lib64/valgrind"; do
  AS_IF([test -n "$dmd_dir" && test -z "$VALGRIND_LIBEXECDIR"], [
    AS_IF([test -x "$dmd_dir/none-$VALGRIND_PLATFORM" || test -x "$dmd_dir/memcheck-$VALGRIND_PLATFORM"],
      [VALGRIND_LIBEXECDIR=$dmd_dir],
      [test "x$dmd_dir" = "x$with_valgrind_libexecdir"],
      [AC_MSG_ERROR([--with-valgrind-libexecdir: no tool for $VALGRIND_PLATFORM in $dmd_dir])])
  ])
done
AC_MSG_RESULT([${VALGRIND_LIBEXECDIR:-no}])
AS_IF([test -z "$VALGRIND_LIBEXECDIR"], [DMD_MISSING([Valgrind's tools for $VALGRIND_PLATFORM], [valgrind])])
AC_SUBST([VALGRIND_LIBEXECDIR])
vgtooldir=${with_tooldir:-$VALGRIND_LIBEXECDIR}

dnl Debian's bin/valgrind is a script that starts valgrind.bin of the installed package, so in an unpacked tree
dnl valgrind.bin is tried first. A tree from a newer distribution may contain a launcher that does not run here; any
dnl other one will do.
AC_MSG_CHECKING([for Valgrind's launcher])
VALGRIND_LAUNCHER=
for dmd_prog in ${with_valgrind:+"$dmd_vg_prefix/bin/valgrind.bin"} "$dmd_vg_prefix/bin/valgrind" \
                "`command -v valgrind 2>/dev/null`"; do
  AS_IF([test -z "$VALGRIND_LAUNCHER" && test -x "$dmd_prog" &&
         { test "x$cross_compiling" = xyes ||
           VALGRIND_LIB=$VALGRIND_LIBEXECDIR "$dmd_prog" --version >/dev/null 2>&1; }],
    [VALGRIND_LAUNCHER=$dmd_prog])
done
AC_MSG_RESULT([${VALGRIND_LAUNCHER:-no}])
AS_IF([test -z "$VALGRIND_LAUNCHER"], [DMD_MISSING([a valgrind program that runs], [valgrind])])
AC_SUBST([VALGRIND_LAUNCHER])
])

dnl Compiler and linker flags. A tool is a static program without libc that is loaded at its own address. Features that
dnl the compiler may have been configured to enable by default (position independence, stack protector, _FORTIFY_SOURCE)
dnl are turned off, since they need what only libc sets up.
AC_DEFUN([DMD_VALGRIND_FLAGS], [
AS_CASE([$VALGRIND_ARCH],
  [amd64], [dmd_machine=-m64],
  dnl Valgrind aligns the stack on x86 to 4 bytes only.
  [x86], [dmd_machine="-m32 -mstackrealign"],
  [arm64], [dmd_machine=])
dmd_os=$VALGRIND_OS
TOOL_BASE_CPPFLAGS="-isystem $VALGRIND_INCLUDEDIR -DVGA_$VALGRIND_ARCH=1 -DVGO_$dmd_os=1"
TOOL_BASE_CPPFLAGS="$TOOL_BASE_CPPFLAGS -DVGP_${VALGRIND_ARCH}_$dmd_os=1 -DVGPV_${VALGRIND_ARCH}_${dmd_os}_vanilla=1"
dmd_common="$dmd_machine -std=gnu11 -U_FORTIFY_SOURCE -fno-stack-protector -fno-sanitize=all -fno-strict-aliasing"
dmd_common="$dmd_common -fno-builtin -fomit-frame-pointer"
TOOL_BASE_CFLAGS="$dmd_common -ffreestanding -fno-pic -fno-pie"
TOOL_LDFLAGS="$dmd_machine -static -nodefaultlibs -nostartfiles -u _start -Wl,--build-id=none"
TOOL_LDFLAGS="$TOOL_LDFLAGS -Wl,-Ttext-segment=$dmd_vg_load_address"
TOOL_LIB_FILES="$VALGRIND_LIBDIR/libcoregrind-$VALGRIND_PLATFORM.a $VALGRIND_LIBDIR/libvex-$VALGRIND_PLATFORM.a"
TOOL_LIBS="$TOOL_LIB_FILES -lgcc $VALGRIND_LIBDIR/libgcc-sup-$VALGRIND_PLATFORM.a"
PRELOAD_CFLAGS="$dmd_common -fpic"
PRELOAD_LDFLAGS="$dmd_machine -nodefaultlibs -shared -Wl,-z,interpose,-z,initfirst"
PRELOAD_LIBS="-Wl,--whole-archive $VALGRIND_LIBDIR/libreplacemalloc_toolpreload-$VALGRIND_PLATFORM.a"
PRELOAD_LIBS="$PRELOAD_LIBS -Wl,--no-whole-archive"
AC_SUBST([TOOL_BASE_CPPFLAGS])
AC_SUBST([TOOL_BASE_CFLAGS])
AC_SUBST([TOOL_LDFLAGS])
AC_SUBST([TOOL_LIBS])
AC_SUBST([TOOL_LIB_FILES])
AC_SUBST([PRELOAD_CFLAGS])
AC_SUBST([PRELOAD_LDFLAGS])
AC_SUBST([PRELOAD_LIBS])
])

dnl DMD_TOOL_IFELSE(COMPILE or LINK, PROLOGUE, BODY, IF-TRUE, IF-FALSE, [LIBS])
dnl Tries to compile a source file, or to link a tool, in exactly the way that the tool is. For LINK, BODY is the test
dnl tool's start-up function.
AC_DEFUN([DMD_TOOL_IFELSE], [
dmd_save_CFLAGS=$CFLAGS dmd_save_CPPFLAGS=$CPPFLAGS dmd_save_LDFLAGS=$LDFLAGS dmd_save_LIBS=$LIBS
CFLAGS="$TOOL_BASE_CFLAGS -Werror=implicit-function-declaration -Werror=incompatible-pointer-types"
CPPFLAGS=$TOOL_BASE_CPPFLAGS
LDFLAGS=$TOOL_LDFLAGS
LIBS="$6 $TOOL_LIBS"
m4_indir([AC_$1_IFELSE], [AC_LANG_SOURCE([[
#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_replacemalloc.h"
$2
static void pre_clo_init (void);
static void pre_clo_init (void) { $3 }
VG_DETERMINE_INTERFACE_VERSION (pre_clo_init)
]])], [$4], [$5])
CFLAGS=$dmd_save_CFLAGS CPPFLAGS=$dmd_save_CPPFLAGS LDFLAGS=$dmd_save_LDFLAGS LIBS=$dmd_save_LIBS
])

AC_DEFUN([DMD_VALGRIND_LINK_TEST], [
AC_MSG_CHECKING([whether $CC links a Valgrind tool])
DMD_TOOL_IFELSE([LINK], [], [VG_(details_name) ("test");],
  [AC_MSG_RESULT([yes])],
  [AC_MSG_RESULT([no])
   AC_MSG_ERROR([cannot compile and link a tool for $VALGRIND_PLATFORM against $VALGRIND_LIBDIR; config.log says why])])
])

dnl Link-time optimisation of the tool. A call of malloc passes through four layers and a dozen short functions;
dnl optimised as a whole they save a tenth of the time of a program that allocates much (perf/README.md). "make
dnl TOOL_LTO=" turns it off and links faster. libdmd.so is optimised in the same way. gcc's -flto=auto is -flto with one
dnl process per processor.
AC_DEFUN([DMD_TOOL_LTO], [
AC_MSG_CHECKING([how $CC optimises a tool as a whole])
TOOL_LTO=
dmd_save_base=$TOOL_BASE_CFLAGS
for dmd_flag in -flto=auto -flto; do
  TOOL_BASE_CFLAGS="$dmd_save_base $dmd_flag"
  AS_IF([test -z "$TOOL_LTO"],
    [DMD_TOOL_IFELSE([LINK], [], [VG_(details_name) ("test");], [TOOL_LTO=$dmd_flag])])
done
TOOL_BASE_CFLAGS=$dmd_save_base
AC_MSG_RESULT([${TOOL_LTO:-not at all}])
AC_SUBST([TOOL_LTO])
])
