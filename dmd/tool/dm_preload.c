/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The replacements of allocation functions that Valgrind does not replace. They run as the
 * program's code, not as the tool's.
 *
 * Valgrind knows them by their names, which the macros of pub_tool_redir.h make: EZU(NUMBER, WHERE,
 * FUNCTION) takes the place of FUNCTION in all objects that match WHERE. SO_SYN_MALLOC is what
 * --soname-synonyms=somalloc=... says, by default every object that has the function as a global
 * symbol. So these are replaced wherever malloc itself is, and nowhere else. Equal numbers mean
 * that it does not matter which of two replacements an address gets; those from 10000 on are
 * Valgrind's.
 */
#include "pub_tool_basics.h"
#include "pub_tool_redir.h"
#include "valgrind.h"

#include "tool/dm_preload.h"

/* Without a function of its own, which would be one more frame on the stack. */
#define ASK(request, a, b, c, d)                                                                   \
  VALGRIND_DO_CLIENT_REQUEST_EXPR(0, DM_PRELOAD_##request, a, b, c, d, 0)

/* ---- jemalloc ---- */

#define MALLOCX VG_REPLACE_FUNCTION_EZU(30010, SO_SYN_MALLOC, mallocx)
void *MALLOCX(SizeT szB, Int flags);
void *MALLOCX(SizeT szB, Int flags) {
  return (void *)ASK(MALLOCX, szB, flags, 0, 0);
}

#define RALLOCX VG_REPLACE_FUNCTION_EZU(30020, SO_SYN_MALLOC, rallocx)
void *RALLOCX(void *p, SizeT szB, Int flags);
void *RALLOCX(void *p, SizeT szB, Int flags) {
  return (void *)ASK(RALLOCX, p, szB, flags, 0);
}

#define XALLOCX VG_REPLACE_FUNCTION_EZU(30030, SO_SYN_MALLOC, xallocx)
SizeT XALLOCX(void *p, SizeT szB, SizeT extra_szB, Int flags);
SizeT XALLOCX(void *p, SizeT szB, SizeT extra_szB, Int flags) {
  return ASK(XALLOCX, p, szB, extra_szB, flags);
}

#define SALLOCX VG_REPLACE_FUNCTION_EZU(30040, SO_SYN_MALLOC, sallocx)
SizeT SALLOCX(const void *p, Int flags);
SizeT SALLOCX(const void *p, Int flags) {
  return ASK(SALLOCX, p, flags, 0, 0);
}

#define DALLOCX VG_REPLACE_FUNCTION_EZU(30050, SO_SYN_MALLOC, dallocx)
void DALLOCX(void *p, Int flags);
void DALLOCX(void *p, Int flags) {
  ASK(FREE, p, flags, 0, 0);
}

#define SDALLOCX VG_REPLACE_FUNCTION_EZU(30060, SO_SYN_MALLOC, sdallocx)
void SDALLOCX(void *p, SizeT szB, Int flags);
void SDALLOCX(void *p, SizeT szB, Int flags) {
  ASK(FREE, p, szB, flags, 0);
}

#define NALLOCX VG_REPLACE_FUNCTION_EZU(30070, SO_SYN_MALLOC, nallocx)
SizeT NALLOCX(SizeT szB, Int flags);
SizeT NALLOCX(SizeT szB, Int flags) {
  return ASK(NALLOCX, szB, flags, 0, 0);
}
