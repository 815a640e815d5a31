/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Replacements for allocation functions that Valgrind does not replace. They run as the program's
 * code, not as the tool's.
 *
 * Valgrind recognises them by their names, which the macros of pub_tool_redir.h make: EZU(NUMBER,
 * WHERE, FUNCTION) replaces FUNCTION in all objects that match WHERE. SO_SYN_MALLOC is the value of
 * --soname-synonyms=somalloc=..., by default every object that has the function as a global symbol.
 * So these functions are replaced exactly where malloc itself is. If two replacements for one
 * address have numbers that differ only in the last digit, the higher number wins. Valgrind's own
 * numbers are 10000 to 19999.
 */
#include "pub_tool_basics.h"
#include "pub_tool_redir.h"
#include "pub_tool_vki.h"
#include "valgrind.h"

#include "record/engine/heapstats.h"
#include "valgrind/dm_preload.h"

/* A part of a function that the compiler splits off would be one more frame on the stack. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-partial-inlining")
#endif

/* A macro, since a function would be one more frame on the stack. */
#define ASK(request, a, b, c, d)                                                                   \
  VALGRIND_DO_CLIENT_REQUEST_EXPR(0, DM_PRELOAD_##request, a, b, c, d, 0)

/* ---- jemalloc and mimalloc ----
 *
 * jemalloc has functions beyond those of the C library. Programs link both allocators with
 * prefixes, too, beside the C library's: Rust programs jemalloc as _rjem_malloc or mimalloc, redis
 * jemalloc as je_malloc. */

/* The functions of one name wherever malloc is replaced. */
#define ELSEWHERE(number, function) VG_REPLACE_FUNCTION_EZU(number, SO_SYN_MALLOC, function)

enum { ZEROED = 0x40 }; /* MALLOCX_ZERO */

/* The logarithm of an alignment, as MALLOCX_LG_ALIGN takes it. A macro like ASK, and for the same
 * reason. */
#define LG_ALIGN(alignB) ((alignB) == 0 ? 0 : (SizeT)__builtin_ctzl(alignB))

#define MALLOC(name, flags)                                                                        \
  void *name(SizeT szB);                                                                           \
  void *name(SizeT szB) {                                                                          \
    return (void *)ASK(MALLOCX, szB, flags, 0, 0);                                                 \
  }
#define CALLOC(name)                                                                               \
  void *name(SizeT n, SizeT szB);                                                                  \
  void *name(SizeT n, SizeT szB) {                                                                 \
    SizeT all;                                                                                     \
    if (__builtin_mul_overflow(n, szB, &all))                                                      \
      return NULL;                                                                                 \
    return (void *)ASK(MALLOCX, all, ZEROED, 0, 0);                                                \
  }
#define REALLOC(name)                                                                              \
  void *name(void *p, SizeT szB);                                                                  \
  void *name(void *p, SizeT szB) {                                                                 \
    return p == NULL ? (void *)ASK(MALLOCX, szB, 0, 0, 0) : (void *)ASK(RALLOCX, p, szB, 0, 0);    \
  }
#define FREE_BLOCK(name)                                                                           \
  void name(void *p);                                                                              \
  void name(void *p) {                                                                             \
    if (p != NULL)                                                                                 \
      ASK(FREE, p, 0, 0, 0);                                                                       \
  }
#define USABLE_SIZE(name)                                                                          \
  SizeT name(const void *p);                                                                       \
  SizeT name(const void *p) {                                                                      \
    return p == NULL ? 0 : ASK(SALLOCX, p, 0, 0, 0);                                               \
  }
#define POSIX_MEMALIGN(name)                                                                       \
  Int name(void **to, SizeT alignB, SizeT szB);                                                    \
  Int name(void **to, SizeT alignB, SizeT szB) {                                                   \
    if (alignB < sizeof(void *) || (alignB & (alignB - 1)) != 0)                                   \
      return VKI_EINVAL;                                                                           \
    void *p = (void *)ASK(MALLOCX, szB, LG_ALIGN(alignB), 0, 0);                                   \
    if (p == NULL)                                                                                 \
      return VKI_ENOMEM;                                                                           \
    *to = p;                                                                                       \
    return 0;                                                                                      \
  }
#define ALIGNED_ALLOC(name)                                                                        \
  void *name(SizeT alignB, SizeT szB);                                                             \
  void *name(SizeT alignB, SizeT szB) {                                                            \
    return (void *)ASK(MALLOCX, szB, LG_ALIGN(alignB), 0, 0);                                      \
  }
/* The functions of mimalloc that take the alignment last. */
#define MALLOC_ALIGNED(name, flags)                                                                \
  void *name(SizeT szB, SizeT alignB);                                                             \
  void *name(SizeT szB, SizeT alignB) {                                                            \
    return (void *)ASK(MALLOCX, szB, LG_ALIGN(alignB) | (flags), 0, 0);                            \
  }
#define REALLOC_ALIGNED(name)                                                                      \
  void *name(void *p, SizeT szB, SizeT alignB);                                                    \
  void *name(void *p, SizeT szB, SizeT alignB) {                                                   \
    return p == NULL ? (void *)ASK(MALLOCX, szB, LG_ALIGN(alignB), 0, 0)                           \
                     : (void *)ASK(RALLOCX, p, szB, LG_ALIGN(alignB), 0);                          \
  }
#define MALLOCX(name)                                                                              \
  void *name(SizeT szB, Int flags);                                                                \
  void *name(SizeT szB, Int flags) {                                                               \
    return (void *)ASK(MALLOCX, szB, flags, 0, 0);                                                 \
  }
#define RALLOCX(name)                                                                              \
  void *name(void *p, SizeT szB, Int flags);                                                       \
  void *name(void *p, SizeT szB, Int flags) {                                                      \
    return (void *)ASK(RALLOCX, p, szB, flags, 0);                                                 \
  }
#define XALLOCX(name)                                                                              \
  SizeT name(void *p, SizeT szB, SizeT extra_szB, Int flags);                                      \
  SizeT name(void *p, SizeT szB, SizeT extra_szB, Int flags) {                                     \
    return ASK(XALLOCX, p, szB, extra_szB, flags);                                                 \
  }
#define SALLOCX(name)                                                                              \
  SizeT name(const void *p, Int flags);                                                            \
  SizeT name(const void *p, Int flags) {                                                           \
    return ASK(SALLOCX, p, flags, 0, 0);                                                           \
  }
#define NALLOCX(name)                                                                              \
  SizeT name(SizeT szB, Int flags);                                                                \
  SizeT name(SizeT szB, Int flags) {                                                               \
    return ASK(NALLOCX, szB, flags, 0, 0);                                                         \
  }
#define DALLOCX(name)                                                                              \
  void name(void *p, Int flags);                                                                   \
  void name(void *p, Int flags) {                                                                  \
    ASK(FREE, p, flags, 0, 0);                                                                     \
  }
#define SDALLOCX(name)                                                                             \
  void name(void *p, SizeT szB, Int flags);                                                        \
  void name(void *p, SizeT szB, Int flags) {                                                       \
    ASK(FREE, p, szB, flags, 0);                                                                   \
  }

/* How an allocator names a function. */
#define PLAIN(function) function
#define OF_REDIS(function) je_##function
#define OF_RUST(function) _rjem_##function

#define JEMALLOC(number, named)                                                                    \
  MALLOCX(ELSEWHERE(number##010, named(mallocx)))                                                  \
  RALLOCX(ELSEWHERE(number##020, named(rallocx)))                                                  \
  XALLOCX(ELSEWHERE(number##030, named(xallocx)))                                                  \
  SALLOCX(ELSEWHERE(number##040, named(sallocx)))                                                  \
  DALLOCX(ELSEWHERE(number##050, named(dallocx)))                                                  \
  SDALLOCX(ELSEWHERE(number##060, named(sdallocx)))                                                \
  NALLOCX(ELSEWHERE(number##070, named(nallocx)))

/* Valgrind replaces these functions where they have no prefix. */
#define PREFIXED(number, named)                                                                    \
  MALLOC(ELSEWHERE(number##110, named(malloc)), 0)                                                 \
  CALLOC(ELSEWHERE(number##120, named(calloc)))                                                    \
  REALLOC(ELSEWHERE(number##130, named(realloc)))                                                  \
  FREE_BLOCK(ELSEWHERE(number##140, named(free)))                                                  \
  POSIX_MEMALIGN(ELSEWHERE(number##150, named(posix_memalign)))                                    \
  ALIGNED_ALLOC(ELSEWHERE(number##160, named(aligned_alloc)))                                      \
  USABLE_SIZE(ELSEWHERE(number##170, named(malloc_usable_size)))

JEMALLOC(30, PLAIN)
JEMALLOC(31, OF_REDIS)
PREFIXED(31, OF_REDIS)
JEMALLOC(32, OF_RUST)
PREFIXED(32, OF_RUST)

MALLOC(ELSEWHERE(33010, mi_malloc), 0)
MALLOC(ELSEWHERE(33020, mi_zalloc), ZEROED)
CALLOC(ELSEWHERE(33030, mi_calloc))
REALLOC(ELSEWHERE(33040, mi_realloc))
FREE_BLOCK(ELSEWHERE(33050, mi_free))
USABLE_SIZE(ELSEWHERE(33060, mi_usable_size))
MALLOC_ALIGNED(ELSEWHERE(33070, mi_malloc_aligned), 0)
MALLOC_ALIGNED(ELSEWHERE(33080, mi_zalloc_aligned), ZEROED)
REALLOC_ALIGNED(ELSEWHERE(33090, mi_realloc_aligned))

/* ---- The C library ---- */

/* The functions of one name in the C library; ELSEWHERE has the others. */
#define IN_LIBC(number, function) VG_REPLACE_FUNCTION_EZU(number, VG_Z_LIBC_SONAME, function)

/* Valgrind's replacement ends the process, for pvalloc and for __libc_pvalloc, which is the same
 * function. This one has the same class and a higher priority. */
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

/* C23. configure reports which of them Valgrind lacks; the numbers are those of Valgrinds that have
 * them. */
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

/* ---- Statistics ---- */

static dmd_heapstats_t heapstats(void) {
  dmd_heapstats_t stats;
  ASK(HEAPSTATS, &stats, 0, 0, 0);
  return stats;
}

/* The C library's struct mallinfo and mallinfo2. */
#define MALLINFO_FIELDS(type)                                                                      \
  type arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost
struct mallinfo {
  MALLINFO_FIELDS(Int);
};
struct mallinfo2 {
  MALLINFO_FIELDS(SizeT);
};

#define MALLINFO(name, result, type)                                                               \
  result name(void);                                                                               \
  result name(void) {                                                                              \
    dmd_heapstats_t stats = heapstats();                                                           \
    result info = {.arena = (type)stats.arena,                                                     \
                   .ordblks = (type)stats.ordblks,                                                 \
                   .hblks = (type)stats.hblks,                                                     \
                   .hblkhd = (type)stats.hblkhd,                                                   \
                   .uordblks = (type)stats.uordblks,                                               \
                   .fordblks = (type)stats.fordblks,                                               \
                   .keepcost = (type)stats.fordblks};                                              \
    return info;                                                                                   \
  }
MALLINFO(IN_LIBC(10211, mallinfo), struct mallinfo, Int)
MALLINFO(ELSEWHERE(10211, mallinfo), struct mallinfo, Int)
MALLINFO(IN_LIBC(30080, mallinfo2), struct mallinfo2, SizeT)
MALLINFO(ELSEWHERE(30080, mallinfo2), struct mallinfo2, SizeT)

/* Prints with the C library of the program, so that the text comes in order with the program's
 * own. */
extern int fputs(const HChar *text, void *file) __attribute__((weak));
extern void *stderr __attribute__((weak));
enum { TEXT_SZB = 2048 };

#define MALLOC_INFO(name)                                                                          \
  Int name(Int options, void *file);                                                               \
  Int name(Int options, void *file) {                                                              \
    HChar text[TEXT_SZB];                                                                          \
    if (options != 0)                                                                              \
      return VKI_EINVAL;                                                                           \
    ASK(HEAPSTATS_TEXT, text, sizeof text, DM_TEXT_INFO, 0);                                       \
    if (fputs != NULL)                                                                             \
      fputs(text, file);                                                                           \
    return 0;                                                                                      \
  }
MALLOC_INFO(IN_LIBC(30090, malloc_info))
MALLOC_INFO(ELSEWHERE(30090, malloc_info))

#define MALLOC_STATS(name)                                                                         \
  void name(void);                                                                                 \
  void name(void) {                                                                                \
    HChar text[TEXT_SZB];                                                                          \
    ASK(HEAPSTATS_TEXT, text, sizeof text, DM_TEXT_STATS, 0);                                      \
    if (fputs != NULL && &stderr != NULL)                                                          \
      fputs(text, stderr);                                                                         \
  }
MALLOC_STATS(IN_LIBC(10201, malloc_stats))
MALLOC_STATS(ELSEWHERE(10201, malloc_stats))

/* jemalloc answers all other questions, and refuses wrong ones, itself. */
static Bool is_stats_allocated(const HChar *name) {
  const HChar *expected = "stats.allocated";
  while (*expected != '\0' && *name == *expected)
    name++, expected++;
  return *name == *expected;
}

#define MALLCTL VG_WRAP_FUNCTION_EZU(30100, SO_SYN_MALLOC, mallctl)
Int MALLCTL(const HChar *name, SizeT *old, SizeT *old_szB, void *new, SizeT new_szB);
Int MALLCTL(const HChar *name, SizeT *old, SizeT *old_szB, void *new, SizeT new_szB) {
  OrigFn original;
  Word result;
  VALGRIND_GET_ORIG_FN(original);
  CALL_FN_W_5W(result, original, name, old, old_szB, new, new_szB);
  if (result == 0 && old != NULL && old_szB != NULL && *old_szB == sizeof *old &&
      is_stats_allocated(name))
    *old = (SizeT)heapstats().usable;
  return (Int)result;
}
