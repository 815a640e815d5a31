/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The replacements of allocation functions that Valgrind does not replace. They run as the
 * program's code, not as the tool's.
 *
 * Valgrind knows them by their names, which the macros of pub_tool_redir.h make: EZU(NUMBER, WHERE,
 * FUNCTION) takes the place of FUNCTION in all objects that match WHERE. SO_SYN_MALLOC is what
 * --soname-synonyms=somalloc=... says, by default every object that has the function as a global
 * symbol. So these are replaced wherever malloc itself is, and nowhere else. Of two
 * replacements for one address, whose numbers differ in the last digit only, that with the higher
 * one is taken. Numbers from 10000 to 19999 are those of Valgrind's own.
 */
#include "pub_tool_basics.h"
#include "pub_tool_redir.h"
#include "pub_tool_vki.h"
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

/* ---- The C library ---- */

/* The functions of one name in the C library, and wherever else malloc is replaced. */
#define IN_LIBC(number, function) VG_REPLACE_FUNCTION_EZU(number, VG_Z_LIBC_SONAME, function)
#define ELSEWHERE(number, function) VG_REPLACE_FUNCTION_EZU(number, SO_SYN_MALLOC, function)

/* Valgrind's replacement ends the process, be it for pvalloc or for __libc_pvalloc, which is the
 * same function. This one has its class and a higher priority. */
extern int *__errno_location(void) __attribute__((weak));
#define PVALLOC(name)                                                                              \
  void *name(SizeT szB);                                                                           \
  void *name(SizeT szB) {                                                                          \
    void *p = (void *)ASK(PVALLOC, szB, 0, 0, 0);                                                  \
    if (p == NULL && __errno_location != NULL)                                                     \
      *__errno_location() = VKI_ENOMEM;                                                            \
    return p;                                                                                      \
  }
PVALLOC(IN_LIBC(10191, pvalloc))
PVALLOC(ELSEWHERE(10191, pvalloc))

/* C23. Configure says which of them Valgrind lacks; the numbers are those of Valgrinds that do not.
 */
#if DMD_REPLACE_FREE_SIZED
#define FREE_SIZED(name)                                                                           \
  void name(void *p, SizeT szB);                                                                   \
  void name(void *p, SizeT szB) {                                                                  \
    if (p != NULL)                                                                                 \
      ASK(FREE, p, szB, 0, 0);                                                                     \
  }
FREE_SIZED(IN_LIBC(10051, free_sized))
FREE_SIZED(ELSEWHERE(10051, free_sized))
#endif

#if DMD_REPLACE_FREE_ALIGNED_SIZED
#define FREE_ALIGNED_SIZED(name)                                                                   \
  void name(void *p, SizeT alignB, SizeT szB);                                                     \
  void name(void *p, SizeT alignB, SizeT szB) {                                                    \
    if (p != NULL)                                                                                 \
      ASK(FREE, p, alignB, szB, 0);                                                                \
  }
FREE_ALIGNED_SIZED(IN_LIBC(10052, free_aligned_sized))
FREE_ALIGNED_SIZED(ELSEWHERE(10052, free_aligned_sized))
#endif
